#include "normc/Reference/Npy.h"

#include "TestHelpers.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace normc::reference {
namespace {

namespace fs = std::filesystem;

class Npy : public testing::Test {
protected:
  void SetUp() override {
    const auto *info = testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::path(testing::TempDir()) /
             ("normc-npy-" + std::string(info->name()) + std::to_string(getpid()));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string path(const char *name = "a.npy") const { return folder / name; }

  std::string write(const std::string &content) const {
    std::ofstream(path(), std::ios::binary) << content;
    return path();
  }
  std::string read() const {
    std::ifstream stream(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  fs::path folder;
};

/// A file as NumPy's format description says, version 1.0 or 2.0, padded to `header`
/// bytes before the newline's end.
std::string file(std::string dictionary, const std::string &data, int version = 1,
                 size_t header = 118) {
  dictionary.resize(header - 1, ' ');
  dictionary += '\n';
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    text += static_cast<char>(dictionary.size() >> (8 * i));
  return text + dictionary + data;
}

std::string dictionary(const std::string &type, const std::string &shape,
                       const std::string &order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape +
         ", }";
}

template <typename Number> std::string bytesOf(std::initializer_list<Number> values) {
  return {reinterpret_cast<const char *>(values.begin()),
          values.size() * sizeof(Number)};
}

/// np.save of np.array([[1, 2, 3], [4, 5, 6]], dtype), NumPy's bytes.
const char numpyHead[] = "\x93NUMPY\x01\x00v\x00{'descr': '<f2', 'fortran_order': "
                         "False, 'shape': (2, 3), }";

TEST_F(Npy, ReadsWhatNumpyWrites) {
  std::string content(numpyHead, sizeof(numpyHead) - 1);
  content.resize(127, ' ');
  content += '\n';
  content += std::string("\x00\x3c\x00\x40\x00\x42\x00\x44\x00\x45\x00\x46", 12);
  ErrorOr<Array> array = readNpy(write(content));
  ASSERT_TRUE(array) << array.error;
  EXPECT_EQ(array->type, Type::F16);
  EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(array->toDoubles(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  // And what is written is the same file, byte for byte.
  ASSERT_EQ(writeNpy(path(), *array), "");
  EXPECT_EQ(read(), content);
}

TEST_F(Npy, RoundTripsEveryTypeAndRank) {
  for (Type type : {Type::F16, Type::BF16, Type::F32, Type::F64})
    for (const char *shape : {"scalar", "1", "5", "0", "3x4", "0x4", "2x3x4x5"}) {
      Array array = *generate("normal:1:" + std::string(shape), type);
      ASSERT_EQ(writeNpy(path(), array), "");
      ErrorOr<Array> back = readNpy(path(), type);
      ASSERT_TRUE(back) << back.error;
      EXPECT_EQ(back->type, type);
      EXPECT_EQ(back->shape, array.shape);
      EXPECT_EQ(back->bytes, array.bytes);
    }
}

TEST_F(Npy, SpecialValuesKeepTheirBits) {
  Array array = makeArray(Type::F32, {5},
                          std::vector<double>{-0.0, INFINITY, -INFINITY, NAN, 1e-45});
  ASSERT_EQ(writeNpy(path(), array), "");
  EXPECT_EQ(readNpy(path())->bytes, array.bytes);
}

TEST_F(Npy, Bf16IsF32OrBits) {
  Array array = *generate("normal:1:3x4", Type::BF16);
  ASSERT_EQ(writeNpy(path(), array), "");
  EXPECT_EQ(readNpy(path())->type, Type::F32);
  EXPECT_EQ(readNpy(path())->toDoubles(), array.toDoubles());
  ASSERT_EQ(writeNpy(path(), array, Bf16File::AsBits), "");
  EXPECT_NE(read().find("'<u2'"), std::string::npos);
  EXPECT_EQ(readNpy(path(), Type::BF16)->bytes, array.bytes);
  EXPECT_FALSE(readNpy(path())) << "integers are no values unless bf16 is asked for";
  // f32 values that bf16 does not have are rounded.
  ASSERT_EQ(
      writeNpy(path(), makeArray(Type::F32, {1}, std::vector<double>{1 + 0x1.8p-8})),
      "");
  EXPECT_EQ(readNpy(path(), Type::BF16)->toDoubles(), std::vector<double>{1 + 0x1p-7});
}

TEST_F(Npy, ReadsRawBf16OfMlDtypes) {
  for (const char *type : {"<V2", "|V2"}) {
    write(file(dictionary(type, "(2,)"), bytesOf<uint16_t>({0x3f80, 0xc000})));
    ErrorOr<Array> array = readNpy(path(), Type::BF16);
    ASSERT_TRUE(array) << array.error;
    EXPECT_EQ(array->toDoubles(), (std::vector<double>{1, -2}));
  }
}

TEST_F(Npy, ReadsFortranOrder) {
  write(file(dictionary("<f8", "(2, 3)", "True"), bytesOf<double>({1, 4, 2, 5, 3, 6})));
  ErrorOr<Array> array = readNpy(path());
  ASSERT_TRUE(array) << array.error;
  EXPECT_TRUE(array->isRowMajor());
  EXPECT_EQ(array->toDoubles(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Npy, ReadsHeadersOfAnyLengthAndVersion2) {
  // 182 and 246 have their high bit set in a byte.
  for (int version : {1, 2})
    for (size_t header : {70, 116, 182, 246, 1014}) {
      write(file(dictionary("<f4", "(1, 2)"), bytesOf<float>({1, 2}), version, header));
      ErrorOr<Array> array = readNpy(path());
      ASSERT_TRUE(array) << version << ' ' << header << ' ' << array.error;
      EXPECT_EQ(array->toDoubles(), (std::vector<double>{1, 2}));
    }
}

TEST_F(Npy, WritesStridedArraysInRowMajorOrder) {
  Array array = *generate("normal:1:3x4", Type::F32);
  ASSERT_EQ(writeNpy(path(), withStrides(array, {7, 1})), "");
  EXPECT_EQ(readNpy(path())->bytes, array.bytes);
}

TEST_F(Npy, WritesWholeOrNotAtAll) {
  Array array = makeArray(Type::F32, {4});
  ASSERT_EQ(writeNpy(path(), array), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
  EXPECT_NE(writeNpy(path("missing/a.npy"), array).find("missing/a.npy"),
            std::string::npos);
  fs::create_directory(folder / "full");
  fs::create_directory(folder / "full" / "x");
  EXPECT_NE(writeNpy(path("full"), array), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2)
      << "a temporary file stayed";
}

TEST_F(Npy, ErrorsNameTheFileTheExpectedAndTheFound) {
  const std::string quoted = '"' + path() + "\": ";
  EXPECT_EQ(readNpy(path()).error,
            quoted + "cannot be read: No such file or directory");
  EXPECT_NE(readNpy(folder).error.find("expected a file, but got a folder"),
            std::string::npos);
  write("PK\x03\x04 a zip file");
  EXPECT_EQ(readNpy(path()).error,
            quoted +
                "expected a .npy file, which begins with \\x93NUMPY, but got another");
  std::string good = file(dictionary("<f4", "(2, 3)"), std::string(24, '\0'));
  ASSERT_TRUE(readNpy(write(good)));
  EXPECT_EQ(readNpy(write(good.substr(0, good.size() - 1))).error,
            quoted + "expected 24 bytes of data for 2x3 of <f4, but got 23");
  EXPECT_EQ(readNpy(write(good + "x")).error,
            quoted + "expected 24 bytes of data for 2x3 of <f4, but got 25");
  EXPECT_EQ(readNpy(write(good), Type::F16).error,
            quoted + "expected element type <f2 for f16, but got <f4");
  EXPECT_EQ(readNpy(write(file(dictionary("<i4", "(1,)"), "abcd"))).error,
            quoted + "expected element type <f2, <f4 or <f8, but got <i4");
  EXPECT_EQ(readNpy(write(file(dictionary(">f4", "(1,)"), "abcd"))).error,
            quoted + "expected element type <f2, <f4 or <f8, but got >f4");
}

TEST_F(Npy, EveryTruncationIsAnError) {
  std::string good = file(dictionary("<f4", "(2, 3)"), std::string(24, '\0'));
  for (size_t size = 0; size < good.size(); ++size) {
    ErrorOr<Array> array = readNpy(write(good.substr(0, size)));
    EXPECT_FALSE(array) << size;
    EXPECT_NE(array.error.find(path()), std::string::npos) << size;
  }
}

TEST_F(Npy, BadHeadersAreErrors) {
  std::string data(24, '\0');
  for (const char *text :
       {"", "{", "}", "{}", "{'descr': '<f4'}", "{'descr', 'fortran_order', 'shape'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, x), }",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3), }",
        "{'descr': '', 'fortran_order': False, 'shape': (2, 3), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3), }",
        "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4', }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 3), "
        "}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }trailing"})
    EXPECT_FALSE(readNpy(write(file(text, data)))) << text;
  EXPECT_FALSE(readNpy(write(file(dictionary("<f4", "(2, 3)"), data, 3))));
}

TEST_F(Npy, RawFiles) {
  Array array = *generate("normal:1:3x4", Type::BF16);
  ASSERT_EQ(writeRaw(path("a.bin"), withStrides(array, {6, 1})), "");
  ErrorOr<Array> back = readRaw(path("a.bin"), Type::BF16, {3, 4});
  ASSERT_TRUE(back) << back.error;
  EXPECT_EQ(back->bytes, array.bytes);
  EXPECT_EQ(readRaw(path("a.bin"), Type::F32, {3, 4}).error,
            '"' + path("a.bin") + "\": expected 48 bytes for 3x4 of f32, but got 24");
  EXPECT_FALSE(readRaw(path("b.bin"), Type::F32, {1}));
}

} // namespace
} // namespace normc::reference
