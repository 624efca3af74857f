// The module normc._runtime: loads packages and launches their entries, over normrt.h.
#include "Object.h"

#include <normrt.h>

#include <algorithm>
#include <array>
#include <unistd.h>
#include <vector>

using namespace normc::python;

namespace {

constexpr int32_t kMaxParams = 24;
constexpr int32_t kMaxRank = 16;

PyObject *error_type = nullptr;
PyTypeObject *device_type = nullptr;
PyTypeObject *entry_type = nullptr;

/// Raises normc.Error, whose `status` is the runtime's name of what went wrong.
void check(normrt_status status) {
  if (status == NORMRT_STATUS_OK)
    return;
  const std::string name = normrt_status_name(status);
  Object message = string(name + ": " + normrt_last_error_message());
  Object error =
      Object::take(PyObject_CallFunctionObjArgs(error_type, message.get(), nullptr));
  Object status_name = string(name);
  if (PyObject_SetAttrString(error.get(), "status", status_name.get()) == 0)
    PyErr_SetObject(error_type, error.get());
  throw Raised();
}

/// Handles are released by the process that made them: a forked child has none of a
/// host device's threads.
struct Owned {
  pid_t owner = getpid();
  bool mine() const { return owner == getpid(); }
};

struct DeviceObject {
  PyObject_HEAD normrt_device *device;
  Owned owned;
};

/// What a launch needs to know of a parameter. Sizes that are known at launch only are
/// those of the outer dimensions, in order.
struct Param {
  DLDataType type;
  int32_t rank;
  std::array<int64_t, kMaxRank> shape;
};

struct EntryObject {
  PyObject_HEAD normrt_package *package;
  normrt_entry *entry;
  DLDevice device;
  std::vector<Param> *params;
  Owned owned;
};

template <typename T> T *allocate(PyTypeObject *type) {
  auto allocator = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  auto *object = reinterpret_cast<T *>(allocator(type, 0));
  if (!object)
    throw Raised();
  new (&object->owned) Owned();
  return object;
}

void deallocate(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

void deviceDealloc(PyObject *self) {
  auto *object = reinterpret_cast<DeviceObject *>(self);
  if (object->owned.mine())
    normrt_device_release(object->device);
  deallocate(self);
}

void entryDealloc(PyObject *self) {
  auto *object = reinterpret_cast<EntryObject *>(self);
  if (object->owned.mine())
    normrt_package_release(object->package);
  delete object->params;
  deallocate(self);
}

normrt_device_info query(const DeviceObject *object) {
  normrt_device_info info = {};
  info.struct_size = sizeof(info);
  check(normrt_device_query(object->device, &info));
  return info;
}

PyObject *deviceArchitecture(PyObject *self, void *) {
  return guarded([&] {
    return string(query(reinterpret_cast<DeviceObject *>(self)).architecture);
  });
}

PyObject *deviceDescription(PyObject *self, void *) {
  return guarded([&] {
    return string(
        normrt_device_description(reinterpret_cast<DeviceObject *>(self)->device));
  });
}

/// open_device(name)
PyObject *openDevice(PyObject *, PyObject *name) {
  return guarded([&] {
    const std::string device_name = text(name);
    normrt_device *device = nullptr;
    normrt_status status = NORMRT_STATUS_OK;
    {
      WithoutGil others_run;
      status = normrt_device_open(device_name.c_str(), &device);
    }
    check(status);
    auto *object = allocate<DeviceObject>(device_type);
    object->device = device;
    return Object::take(reinterpret_cast<PyObject *>(object));
  });
}

std::vector<Param> paramsOf(const normrt_entry *entry) {
  const int32_t count = normrt_entry_param_count(entry);
  if (count > kMaxParams)
    raise(PyExc_ValueError, "expected an entry of at most " +
                                std::to_string(kMaxParams) + " parameters, but got " +
                                std::to_string(count));
  std::vector<Param> params;
  for (int32_t i = 0; i < count; ++i) {
    normrt_param_info info = {};
    info.struct_size = sizeof(info);
    check(normrt_entry_param(entry, i, &info));
    if (info.rank > kMaxRank)
      raise(PyExc_ValueError, std::string("parameter \"") + info.name +
                                  "\": expected at most " + std::to_string(kMaxRank) +
                                  " dimensions, but got " + std::to_string(info.rank));
    Param param = {info.type, info.rank, {}};
    std::copy_n(info.shape, info.rank, param.shape.begin());
    params.push_back(param);
  }
  return params;
}

/// load(device, package): the first entry of the package, on the device.
PyObject *load(PyObject *, PyObject *const *args, Py_ssize_t count) {
  return guarded([&] {
    expectCount("load", count, 2);
    if (!PyObject_TypeCheck(args[0], device_type))
      raise(PyExc_TypeError, "load: expected a device as the first argument");
    char *data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(args[1], &data, &size) != 0)
      throw Raised();
    auto *device = reinterpret_cast<DeviceObject *>(args[0]);
    normrt_package *package = nullptr;
    normrt_status status = NORMRT_STATUS_OK;
    {
      WithoutGil others_run;
      status = normrt_package_load_memory(device->device, data,
                                          static_cast<size_t>(size), &package);
    }
    check(status);
    auto *object = allocate<EntryObject>(entry_type);
    Object result = Object::take(reinterpret_cast<PyObject *>(object));
    object->package = package;
    check(normrt_package_entry(package, 0, &object->entry));
    object->device = query(device).device;
    object->params = new std::vector<Param>(paramsOf(object->entry));
    return result;
  });
}

/// The tensors of one launch, on the stack.
class Tensors {
public:
  Tensors(const EntryObject *entry, PyObject *outer) : params_(*entry->params) {
    const Py_ssize_t given = tupleSize("outer", outer);
    for (size_t i = 0; i < params_.size(); ++i) {
      const Param &param = params_[i];
      DLTensor &tensor = tensors_[i];
      tensor = {nullptr,           entry->device, param.rank, param.type,
                shapes_[i].data(), nullptr,       0};
      Py_ssize_t next = 0;
      for (int32_t dim = 0; dim < param.rank; ++dim) {
        int64_t size = param.shape[dim];
        if (size < 0) {
          if (next == given)
            raise(PyExc_ValueError,
                  "expected a size for each dynamic dimension of parameter " +
                      std::to_string(i) + ", but got " + std::to_string(given));
          size = integer(PyTuple_GetItem(outer, next++));
        }
        shapes_[i][dim] = size;
      }
      pointers_[i] = &tensor;
    }
  }

  void setAddresses(PyObject *addresses) {
    const Py_ssize_t given = tupleSize("addresses", addresses);
    if (given != count())
      raise(PyExc_ValueError, "expected " + std::to_string(count()) +
                                  " tensors, because the entry has as many "
                                  "parameters, but got " +
                                  std::to_string(given));
    for (Py_ssize_t i = 0; i < given; ++i)
      tensors_[i].data = address(PyTuple_GetItem(addresses, i));
  }

  /// For each parameter None, which is compact, or a tuple of the outer dimensions'
  /// strides; the inner ones are contiguous.
  void setStrides(PyObject *strides) {
    if (strides == Py_None)
      return;
    if (tupleSize("strides", strides) != count())
      raise(PyExc_ValueError, "expected strides or None for each parameter");
    for (int32_t i = 0; i < count(); ++i) {
      PyObject *own = PyTuple_GetItem(strides, i);
      if (own == Py_None)
        continue;
      const Py_ssize_t given = tupleSize("strides of a tensor", own);
      if (given > params_[i].rank)
        raise(PyExc_ValueError, "expected a stride for each outer dimension");
      int64_t step = 1;
      for (int32_t dim = params_[i].rank; dim-- > 0; step *= shapes_[i][dim])
        strides_[i][dim] = dim < given ? integer(PyTuple_GetItem(own, dim)) : step;
      tensors_[i].strides = strides_[i].data();
    }
  }

  const DLTensor *const *data() const { return pointers_.data(); }
  int32_t count() const { return static_cast<int32_t>(params_.size()); }

private:
  const std::vector<Param> &params_;
  std::array<DLTensor, kMaxParams> tensors_;
  std::array<const DLTensor *, kMaxParams> pointers_;
  std::array<std::array<int64_t, kMaxRank>, kMaxParams> shapes_;
  std::array<std::array<int64_t, kMaxRank>, kMaxParams> strides_;
};

/// launch(outer, addresses, strides, stream, workspace, workspace_bytes)
PyObject *entryLaunch(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  return guarded([&] {
    expectCount("launch", count, 6);
    auto *object = reinterpret_cast<EntryObject *>(self);
    Tensors tensors(object, args[0]);
    tensors.setAddresses(args[1]);
    tensors.setStrides(args[2]);
    normrt_launch_options options = {sizeof(options), address(args[3]),
                                     address(args[4]),
                                     static_cast<size_t>(integer(args[5]))};
    normrt_status status = NORMRT_STATUS_OK;
    {
      WithoutGil others_run;
      status =
          normrt_entry_launch(object->entry, tensors.data(), tensors.count(), &options);
    }
    check(status);
    Py_INCREF(Py_None);
    return Object::take(Py_None);
  });
}

/// workspace_bytes(outer)
PyObject *entryWorkspaceBytes(PyObject *self, PyObject *outer) {
  return guarded([&] {
    auto *object = reinterpret_cast<EntryObject *>(self);
    Tensors tensors(object, outer);
    size_t bytes = 0;
    check(normrt_entry_workspace_size(object->entry, tensors.data(), tensors.count(),
                                      &bytes));
    return Object::take(PyLong_FromSize_t(bytes));
  });
}

PyObject *entryParams(PyObject *self, void *) {
  return guarded([&] {
    auto *object = reinterpret_cast<EntryObject *>(self);
    Object names = Object::take(PyTuple_New(normrt_entry_param_count(object->entry)));
    for (int32_t i = 0; i < normrt_entry_param_count(object->entry); ++i) {
      normrt_param_info info = {};
      info.struct_size = sizeof(info);
      check(normrt_entry_param(object->entry, i, &info));
      if (PyTuple_SetItem(names.get(), i, string(info.name).release()) != 0)
        throw Raised();
    }
    return names;
  });
}

PyObject *entryName(PyObject *self, void *) {
  return guarded([&] {
    return string(normrt_entry_name(reinterpret_cast<EntryObject *>(self)->entry));
  });
}

/// version()
PyObject *version(PyObject *, PyObject *) {
  return PyLong_FromUnsignedLong(normrt_version());
}

PyGetSetDef device_fields[] = {
    {"architecture", deviceArchitecture, nullptr, "what packages are compiled for",
     nullptr},
    {"description", deviceDescription, nullptr, "what the device is", nullptr},
    {}};
PyType_Slot device_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(deviceDealloc)},
    {Py_tp_getset, device_fields},
    {Py_tp_doc, const_cast<char *>("A device that runs kernels.")},
    {}};
PyType_Spec device_spec = {"normc.Device", sizeof(DeviceObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           device_slots};

PyMethodDef entry_methods[] = {
    {"launch", fast(entryLaunch), METH_FASTCALL,
     "launch(outer, addresses, strides, stream, workspace, workspace_bytes)"},
    {"workspace_bytes", entryWorkspaceBytes, METH_O, "workspace_bytes(outer)"},
    {}};
PyGetSetDef entry_fields[] = {
    {"name", entryName, nullptr, "the entry's name", nullptr},
    {"params", entryParams, nullptr, "names of the parameters, in order", nullptr},
    {}};
PyType_Slot entry_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(entryDealloc)},
    {Py_tp_methods, entry_methods},
    {Py_tp_getset, entry_fields},
    {Py_tp_doc, const_cast<char *>("A compiled norm, loaded on a device.")},
    {}};
PyType_Spec entry_spec = {"normc.Entry", sizeof(EntryObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          entry_slots};

PyMethodDef module_functions[] = {
    {"open_device", openDevice, METH_O, "open_device(name): a device of the runtime"},
    {"load", fast(load), METH_FASTCALL, "load(device, package): its first entry"},
    {"version", version, METH_NOARGS, "the runtime's version as one number"},
    {}};
PyModuleDef module_definition = {PyModuleDef_HEAD_INIT,
                                 "_runtime",
                                 "Loads and launches packages.",
                                 -1,
                                 module_functions,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr};

Object makeModule() {
  Object module = Object::take(PyModule_Create(&module_definition));
  error_type =
      Object::take(PyErr_NewExceptionWithDoc(
                       "normc.Error", "What the compiler or the runtime refused.",
                       PyExc_RuntimeError, nullptr))
          .release();
  auto add = [&](const char *name, PyObject *object) {
    if (PyModule_AddObjectRef(module.get(), name, object) != 0)
      throw Raised();
  };
  Object device = Object::take(PyType_FromSpec(&device_spec));
  Object entry = Object::take(PyType_FromSpec(&entry_spec));
  add("Error", error_type);
  add("Device", device.get());
  add("Entry", entry.get());
  device_type = reinterpret_cast<PyTypeObject *>(device.release());
  entry_type = reinterpret_cast<PyTypeObject *>(entry.release());
  return module;
}

} // namespace

// The name is Python's rule.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
PyMODINIT_FUNC PyInit__runtime() { return guarded(makeModule); }
