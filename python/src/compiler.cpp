// The module normc._compiler: compiles norms in process, over normc.h. It is apart from
// normc._runtime because libnormc needs LLVM, and a machine that only launches does
// not.
#include "Object.h"

#include <normc-c/normc.h>

#include <array>
#include <limits>
#include <memory>
#include <string_view>
#include <unistd.h>
#include <vector>

using namespace normc::python;

namespace {

PyTypeObject *compiler_type = nullptr;

struct CompilerObject {
  PyObject_HEAD normc_compiler *compiler;
  /// The compiler is released by the process that made it, not by a forked child.
  pid_t owner;
};

/// What Python calls an enumerator.
struct Name {
  std::string_view name;
  int value;
};

constexpr Name kOps[] = {{"layer_norm", NORMC_OP_LAYER_NORM},
                         {"layer_norm_backward", NORMC_OP_LAYER_NORM_BACKWARD},
                         {"rms_norm", NORMC_OP_RMS_NORM},
                         {"rms_norm_backward", NORMC_OP_RMS_NORM_BACKWARD},
                         {"dyt", NORMC_OP_DYT},
                         {"dyt_backward", NORMC_OP_DYT_BACKWARD}};
constexpr Name kTypes[] = {{"f16", NORMC_TYPE_F16},
                           {"bf16", NORMC_TYPE_BF16},
                           {"f32", NORMC_TYPE_F32},
                           {"f64", NORMC_TYPE_F64}};
constexpr Name kCasts[] = {{"after_weight", NORMC_CAST_AFTER_WEIGHT},
                           {"before_weight", NORMC_CAST_BEFORE_WEIGHT}};
constexpr Name kActivations[] = {{"tanh", NORMC_ACTIVATION_TANH},
                                 {"erf", NORMC_ACTIVATION_ERF}};
constexpr Name kAccuracies[] = {{"auto", NORMC_ACCURACY_AUTO},
                                {"exact", NORMC_ACCURACY_EXACT},
                                {"approximate", NORMC_ACCURACY_APPROXIMATE}};

struct TypeField {
  std::string_view name;
  normc_type normc_norm_descriptor::*type;
};
constexpr TypeField kTypeFields[] = {{"dy", &normc_norm_descriptor::dy},
                                     {"x", &normc_norm_descriptor::x},
                                     {"alpha", &normc_norm_descriptor::alpha},
                                     {"shift", &normc_norm_descriptor::shift},
                                     {"weight", &normc_norm_descriptor::weight},
                                     {"bias", &normc_norm_descriptor::bias},
                                     {"y", &normc_norm_descriptor::y},
                                     {"dx", &normc_norm_descriptor::dx},
                                     {"dalpha", &normc_norm_descriptor::dalpha},
                                     {"dshift", &normc_norm_descriptor::dshift},
                                     {"dweight", &normc_norm_descriptor::dweight},
                                     {"dbias", &normc_norm_descriptor::dbias}};

template <size_t Count>
int find(const Name (&names)[Count], const std::string &field, PyObject *value) {
  if (!PyUnicode_Check(value))
    raise(PyExc_TypeError, field + ": expected a str");
  const std::string given = text(value);
  std::string known;
  for (const Name &each : names) {
    if (each.name == given)
      return each.value;
    known += (known.empty() ? "\"" : ", \"") + std::string(each.name) + "\"";
  }
  raise(PyExc_ValueError,
        field + ": expected one of " + known + ", but got \"" + given + "\"");
}

/// Names the field in what Python says of its value: a wrong type, or a number that is
/// too large. Anything else stays as it is.
[[noreturn]] void raiseFor(const std::string &field, const char *expected,
                           PyObject *object) {
  const bool is_type = PyErr_ExceptionMatches(PyExc_TypeError) != 0;
  if (!is_type && PyErr_ExceptionMatches(PyExc_OverflowError) == 0)
    throw Raised();
  PyErr_Clear();
  if (!is_type)
    raise(PyExc_OverflowError,
          field + ": expected " + expected + ", but got one that is too large");
  Object type = Object::take(PyObject_GetAttrString(
      reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__"));
  raise(PyExc_TypeError,
        field + ": expected " + expected + ", but got " + text(type.get()));
}

double number(const std::string &field, PyObject *object) {
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred())
    raiseFor(field, "a number", object);
  return value;
}

int64_t whole(const std::string &field, PyObject *object) {
  const long long value = PyLong_AsLongLong(object);
  if (value == -1 && PyErr_Occurred())
    raiseFor(field, "an int", object);
  return value;
}

/// Rank and norm_dims: 0, which is a default to the descriptor, is none to Python.
int32_t dimensions(const std::string &field, int64_t value) {
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  if (value < 1 || value > kMost)
    raise(PyExc_ValueError, field + ": expected 1 to " + std::to_string(kMost) +
                                " dimensions, but got " + std::to_string(value));
  return static_cast<int32_t>(value);
}

std::vector<std::string> texts(PyObject *tuple) {
  const Py_ssize_t count = tupleSize("targets", tuple);
  std::vector<std::string> result;
  for (Py_ssize_t i = 0; i < count; ++i)
    result.push_back(text(PyTuple_GetItem(tuple, i)));
  return result;
}

/// A descriptor with the memory that it points to.
struct Norm {
  normc_norm_descriptor descriptor = {};
  std::vector<int64_t> shape;

  Norm() { descriptor.struct_size = sizeof(descriptor); }

  void set(const std::string &field, PyObject *value) {
    for (const TypeField &each : kTypeFields)
      if (each.name == field) {
        if (value != Py_None)
          descriptor.*each.type = static_cast<normc_type>(find(kTypes, field, value));
        return;
      }
    if (field == "op")
      descriptor.op = static_cast<normc_op>(find(kOps, field, value));
    else if (field == "cast")
      descriptor.cast = static_cast<normc_cast>(find(kCasts, field, value));
    else if (field == "activation")
      descriptor.activation =
          static_cast<normc_activation>(find(kActivations, field, value));
    else if (field == "accuracy")
      descriptor.accuracy =
          static_cast<normc_accuracy>(find(kAccuracies, field, value));
    else if (field == "statistics")
      descriptor.statistics = whole(field, value) != 0;
    else if (field == "epsilon")
      descriptor.epsilon = number(field, value);
    else if (field == "weight_offset")
      descriptor.weight_offset = number(field, value);
    else if (field == "norm_dims")
      descriptor.norm_dims = dimensions(field, whole(field, value));
    else if (field == "shape")
      setShape(value);
    else
      raise(PyExc_TypeError, "expected a field of a norm, but got \"" + field + "\"");
  }

private:
  void setShape(PyObject *tuple) {
    const Py_ssize_t rank = tupleSize("shape", tuple);
    for (Py_ssize_t i = 0; i < rank; ++i)
      shape.push_back(whole("shape", PyTuple_GetItem(tuple, i)));
    descriptor.rank = dimensions("shape", rank);
    descriptor.shape = shape.data();
  }
};

/// Raises normc.Error, with the code's name as its `status`.
[[noreturn]] void fail(normc_error *failed) {
  std::unique_ptr<normc_error, void (*)(normc_error *)> error(failed,
                                                              normc_error_release);
  std::string message = normc_error_get_message(failed);
  for (size_t i = 0; i < normc_error_get_location_count(failed); ++i) {
    const normc_location place = normc_error_get_location(failed, i);
    if (place.line != 0)
      message += "\n" + std::string(place.file) + ":" + std::to_string(place.line) +
                 ":" + std::to_string(place.column) + ": " + place.message;
  }
  constexpr std::array<const char *, 6> statuses = {
      "unknown",        "invalid_argument", "version_mismatch",
      "invalid_source", "unknown_target",   "compilation_failed"};
  const size_t code = static_cast<size_t>(normc_error_get_code(failed));
  Object runtime = Object::take(PyImport_ImportModule("normc._runtime"));
  Object type = Object::take(PyObject_GetAttrString(runtime.get(), "Error"));
  Object words = string(message);
  Object object =
      Object::take(PyObject_CallFunctionObjArgs(type.get(), words.get(), nullptr));
  Object status = string(statuses[code < statuses.size() ? code : 0]);
  if (PyObject_SetAttrString(object.get(), "status", status.get()) == 0)
    PyErr_SetObject(type.get(), object.get());
  throw Raised();
}

/// compile(source_or_fields, targets): (bytes, where it came from, what the cache
/// says).
PyObject *compile(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  return guarded([&] {
    expectCount("compile", count, 2);
    auto *object = reinterpret_cast<CompilerObject *>(self);
    const std::vector<std::string> names = texts(args[1]);
    std::vector<const char *> targets;
    for (const std::string &name : names)
      targets.push_back(name.c_str());
    Norm norm;
    std::string source;
    const bool described = PyDict_Check(args[0]);
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    if (!described)
      source = text(args[0]);
    else
      while (PyDict_Next(args[0], &position, &key, &value))
        norm.set(text(key), value);
    normc_package *package = nullptr;
    normc_error *error = nullptr;
    {
      WithoutGil others_run;
      error = described ? normc_compiler_compile_norm(object->compiler,
                                                      &norm.descriptor, targets.data(),
                                                      targets.size(), &package)
                        : normc_compiler_compile(object->compiler, source.data(),
                                                 source.size(), nullptr, targets.data(),
                                                 targets.size(), &package);
    }
    if (error)
      fail(error);
    std::unique_ptr<normc_package, void (*)(normc_package *)> owned(
        package, normc_package_release);
    constexpr const char *states[] = {"compiled", "memory", "disk"};
    Object bytes = Object::take(PyBytes_FromStringAndSize(
        static_cast<const char *>(normc_package_get_data(package)),
        static_cast<Py_ssize_t>(normc_package_get_size(package))));
    Object state = string(states[normc_package_get_cache_state(package)]);
    Object message = string(normc_package_get_cache_message(package));
    return Object::take(PyTuple_Pack(3, bytes.get(), state.get(), message.get()));
  });
}

/// create(threads, cache_directory or None, ptxas or None)
PyObject *create(PyObject *, PyObject *const *args, Py_ssize_t count) {
  return guarded([&] {
    expectCount("create", count, 3);
    normc_compiler_options options = NORMC_COMPILER_OPTIONS_INIT;
    options.threads = static_cast<int32_t>(integer(args[0]));
    std::string cache, ptxas;
    if (args[1] != Py_None) {
      cache = text(args[1]);
      options.cache_directory = cache.c_str();
    }
    if (args[2] != Py_None) {
      ptxas = text(args[2]);
      options.ptxas = ptxas.c_str();
    }
    normc_compiler *compiler = nullptr;
    if (normc_error *error = normc_compiler_create(&options, &compiler))
      fail(error);
    auto allocator =
        reinterpret_cast<allocfunc>(PyType_GetSlot(compiler_type, Py_tp_alloc));
    auto *object = reinterpret_cast<CompilerObject *>(allocator(compiler_type, 0));
    if (object) {
      object->compiler = compiler;
      object->owner = getpid();
    }
    return Object::take(reinterpret_cast<PyObject *>(object));
  });
}

void dealloc(PyObject *self) {
  auto *object = reinterpret_cast<CompilerObject *>(self);
  if (object->owner == getpid())
    normc_compiler_release(object->compiler);
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyObject *version(PyObject *, PyObject *) {
  return PyLong_FromUnsignedLong(normc_version());
}

PyMethodDef compiler_methods[] = {
    {"compile", fast(compile), METH_FASTCALL,
     "compile(source or fields of a norm, targets): (package, origin, message)"},
    {}};
PyType_Slot compiler_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
    {Py_tp_methods, compiler_methods},
    {Py_tp_doc, const_cast<char *>("Compiles norms, with a cache.")},
    {}};
PyType_Spec compiler_spec = {"normc.Compiler", sizeof(CompilerObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             compiler_slots};

PyMethodDef module_functions[] = {
    {"create", fast(create), METH_FASTCALL, "create(threads, cache_directory, ptxas)"},
    {"version", version, METH_NOARGS, "the compiler's version as one number"},
    {}};
PyModuleDef module_definition = {PyModuleDef_HEAD_INIT,
                                 "_compiler",
                                 "Compiles norms.",
                                 -1,
                                 module_functions,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr};

} // namespace

// The name is Python's rule.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
PyMODINIT_FUNC PyInit__compiler() {
  return guarded([] {
    Object module = Object::take(PyModule_Create(&module_definition));
    Object type = Object::take(PyType_FromSpec(&compiler_spec));
    compiler_type = reinterpret_cast<PyTypeObject *>(type.release());
    return module;
  });
}
