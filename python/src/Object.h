/// Python objects that count their own references, over the C API's stable part: one
/// build of the modules serves every later Python.
#ifndef NORMC_PYTHON_OBJECT_H
#define NORMC_PYTHON_OBJECT_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace normc::python {

/// An exception that Python already has: unwinds to the entry of the module.
struct Raised {};

/// Owns a reference. Null stands for nothing.
class Object {
public:
  Object() = default;
  /// Takes over a new reference; null is a call that failed.
  static Object take(PyObject *object) {
    if (!object)
      throw Raised();
    return Object(object);
  }
  Object(Object &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Object &operator=(Object &&other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Object() { Py_XDECREF(object_); }

  PyObject *get() const { return object_; }
  PyObject *release() { return std::exchange(object_, nullptr); }

private:
  explicit Object(PyObject *object) : object_(object) {}
  PyObject *object_ = nullptr;
};

/// Lets other threads run Python while it lives.
class WithoutGil {
public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() { PyEval_RestoreThread(state_); }
  WithoutGil(const WithoutGil &) = delete;
  WithoutGil &operator=(const WithoutGil &) = delete;

private:
  PyThreadState *state_;
};

[[noreturn]] inline void raise(PyObject *type, const std::string &message) {
  PyErr_SetString(type, message.c_str());
  throw Raised();
}

inline long long integer(PyObject *object) {
  const long long value = PyLong_AsLongLong(object);
  if (value == -1 && PyErr_Occurred())
    throw Raised();
  return value;
}

/// A pointer or stream, which may have its highest bit set.
inline void *address(PyObject *object) {
  void *value = PyLong_AsVoidPtr(object);
  if (!value && PyErr_Occurred())
    throw Raised();
  return value;
}

inline std::string text(PyObject *object) {
  Py_ssize_t size = 0;
  const char *data = PyUnicode_AsUTF8AndSize(object, &size);
  if (!data)
    throw Raised();
  return std::string(data, static_cast<size_t>(size));
}

inline Object string(const std::string &value) {
  return Object::take(
      PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())));
}

/// The size of what must be a tuple.
inline Py_ssize_t tupleSize(const char *what, PyObject *object) {
  if (!PyTuple_Check(object))
    raise(PyExc_TypeError, std::string(what) + ": expected a tuple");
  return PyTuple_Size(object);
}

inline void expectCount(const char *function, Py_ssize_t got, Py_ssize_t expected) {
  if (got != expected)
    raise(PyExc_TypeError, std::string(function) + ": expected " +
                               std::to_string(expected) + " arguments, but got " +
                               std::to_string(got));
}

/// A METH_FASTCALL function, as tables of methods hold it.
inline PyCFunction fast(PyObject *(*function)(PyObject *, PyObject *const *,
                                              Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

/// Runs what may throw, for a function that Python calls.
template <typename Body> PyObject *guarded(Body body) {
  try {
    return body().release();
  } catch (const Raised &) {
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

} // namespace normc::python

#endif // NORMC_PYTHON_OBJECT_H
