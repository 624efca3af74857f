"""libnormrt through ctypes, as far as the benchmark needs it: load a package, launch."""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint64, c_void_p


class Device(ctypes.Structure):
    _fields_ = [("device_type", c_int32), ("device_id", c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    """DLPack's DLTensor."""

    _fields_ = [("data", c_void_p), ("device", Device), ("ndim", c_int32), ("dtype", DataType),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


class LaunchOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("stream", c_void_p), ("workspace", c_void_p),
                ("workspace_bytes", c_size_t)]


CPU = 1
CODES = {"f16": (2, 16), "f32": (2, 32), "f64": (2, 64), "bf16": (4, 16)}


def tensor(address, shape, type_name):
    """A compact row-major host tensor over memory that the caller keeps alive."""
    code, bits = CODES[type_name]
    sizes = (c_int64 * len(shape))(*shape)
    return Tensor(address, Device(CPU, 0), len(shape), DataType(code, bits, 1), sizes, None, 0)


class Runtime:
    """The library and one open device."""

    def __init__(self, library, device):
        self.library = ctypes.CDLL(str(library))
        self.library.normrt_status_name.restype = c_char_p
        self.library.normrt_last_error_message.restype = c_char_p
        self.library.normrt_device_description.restype = c_char_p
        self.device = c_void_p()
        self.check(self.library.normrt_device_open(device.encode(), byref(self.device)))

    def check(self, status):
        if status != 0:
            name = self.library.normrt_status_name(status).decode()
            raise RuntimeError(f"{name}: {self.library.normrt_last_error_message().decode()}")

    def description(self):
        return self.library.normrt_device_description(self.device).decode()

    def load(self, path, entry):
        package, handle = c_void_p(), c_void_p()
        self.check(self.library.normrt_package_load_file(self.device, str(path).encode(),
                                                         byref(package)))
        self.check(self.library.normrt_package_find_entry(package, entry.encode(),
                                                          byref(handle)))
        return Entry(self, package, handle)


class Entry:
    """An entry of a loaded package; bind() fixes its tensors and workspace."""

    def __init__(self, runtime, package, handle):
        self.runtime, self.package, self.handle = runtime, package, handle

    def bind(self, tensors):
        """A function that launches on these tensors, with nothing left to set up."""
        library, count = self.runtime.library, len(tensors)
        pointers = (POINTER(Tensor) * count)(*[ctypes.pointer(each) for each in tensors])
        size = c_size_t()
        self.runtime.check(library.normrt_entry_workspace_size(self.handle, pointers, count,
                                                               byref(size)))
        memory = ctypes.create_string_buffer(size.value + 256)
        aligned = (ctypes.addressof(memory) + 255) // 256 * 256
        options = LaunchOptions(ctypes.sizeof(LaunchOptions), None, aligned, size.value)
        launch, handle, given = library.normrt_entry_launch, self.handle, byref(options)

        def call(keep=(memory, tensors, options)):
            status = launch(handle, pointers, count, given)
            if status != 0:
                self.runtime.check(status)

        return call

    def release(self):
        self.runtime.library.normrt_package_release(self.package)
