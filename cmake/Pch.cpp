// Exists so that the precompiled header has an object library to belong to.
