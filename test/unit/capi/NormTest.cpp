//===- NormTest.cpp - Norms without IR ----------------------------------------===//
#include "normc/Reference/Array.h"
#include "normc/Reference/Compare.h"
#include "normc/Reference/Norms.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <normc-c/normc.hpp>

namespace reference = normc::reference;
using reference::Array;

namespace {

normc_compiler_options uncached() {
  normc_compiler_options options = NORMC_COMPILER_OPTIONS_INIT;
  options.cache_disabled = 1;
  options.ptxas = "off";
  return options;
}

constexpr int64_t kRows = 5, kCols = 40;

/// A norm of both normalized shapes [8, 5] and rows of one dimension, on the host.
class NormTest : public testing::Test {
protected:
  static normc::Norm of(normc_op op) {
    normc::Norm norm;
    norm.op = op;
    norm.x = NORMC_TYPE_F32;
    norm.withShape({NORMC_DYNAMIC, 8, 5}, 2);
    return norm;
  }

  void compile(const normc::Norm &norm) {
    function.emplace(normc::Device("host:1"),
                     normc::Compiler(uncached()).compile(norm, {"host"}));
  }

  void input(const std::string &name, const std::string &kind,
             std::vector<int64_t> shape, reference::Type type = reference::Type::F32) {
    auto array = reference::generate(kind + ":" + reference::formatShape(shape), type);
    ASSERT_TRUE(array) << array.error;
    arrays[name] = *array;
    values[name] = array->toDoubles();
  }
  void output(const std::string &name, std::vector<int64_t> shape,
              reference::Type type = reference::Type::F32) {
    std::vector<double> poison(1, -7);
    for (int64_t size : shape)
      poison.resize(poison.size() * size_t(size), -7);
    arrays[name] = reference::makeArray(type, shape, poison);
  }

  /// The parameters are named so, in this order.
  void launch(const std::vector<std::string> &names) {
    ASSERT_EQ(normrt_entry_param_count(function->get()), int32_t(names.size()));
    std::vector<DLTensor> tensors(names.size());
    std::vector<const DLTensor *> list;
    for (size_t i = 0; i < names.size(); ++i) {
      normrt_param_info info = {};
      info.struct_size = sizeof(info);
      ASSERT_EQ(normrt_entry_param(function->get(), int32_t(i), &info),
                NORMRT_STATUS_OK);
      ASSERT_STREQ(info.name, names[i].c_str());
      ASSERT_TRUE(arrays.count(names[i]));
      Array &array = arrays[names[i]];
      const bool wide = array.type == reference::Type::F32;
      tensors[i] = {
          array.bytes.data(),
          {kDLCPU, 0},
          int32_t(array.shape.size()),
          {uint8_t(array.type == reference::Type::BF16 ? kDLBfloat : kDLFloat),
           uint8_t(wide ? 32 : 16), 1},
          array.shape.data(),
          nullptr,
          0};
      list.push_back(&tensors[i]);
    }
    ASSERT_EQ(normrt_entry_launch(function->get(), list.data(), int32_t(list.size()),
                                  nullptr),
              NORMRT_STATUS_OK)
        << normrt_last_error_message();
  }

  void expectEqual(const std::string &name, const reference::Result &expected) {
    const Array &array = arrays[name];
    const reference::Comparison comparison =
        reference::compare(array.bytes.data(), array.type, expected);
    EXPECT_TRUE(comparison.pass) << name << ": " << reference::describe(comparison);
    EXPECT_EQ(comparison.elements, array.elements());
    EXPECT_EQ(comparison.excluded, 0);
  }

  const double *valuesOf(const std::string &name) { return values[name].data(); }

  const std::vector<int64_t> all = {kRows, 8, 5}, row = {8, 5}, outer = {kRows},
                             one = {1};
  std::optional<normc::Function> function;
  std::map<std::string, Array> arrays;
  std::map<std::string, std::vector<double>> values;
};

TEST_F(NormTest, LayerNorm) {
  normc::Norm norm = of(NORMC_OP_LAYER_NORM);
  norm.weight = NORMC_TYPE_BF16;
  norm.bias = norm.y = NORMC_TYPE_F32;
  norm.statistics = 1;
  norm.epsilon = 0.5;
  norm.weight_offset = 1;
  compile(norm);
  input("x", "normal:1", all);
  input("weight", "normal:2", row, reference::Type::BF16);
  input("bias", "normal:3", row);
  output("y", all);
  output("mean", outer);
  output("rstd", outer);
  launch({"x", "weight", "bias", "y", "mean", "rstd"});
  reference::LayerNormInputs inputs{};
  inputs.rows = kRows;
  inputs.cols = kCols;
  inputs.x = valuesOf("x");
  inputs.weight = valuesOf("weight");
  inputs.bias = valuesOf("bias");
  inputs.weightOffset = 1;
  inputs.epsilon = 0.5;
  const reference::LayerNormResults expected = reference::layerNorm(inputs);
  expectEqual("y", expected.y);
  expectEqual("mean", expected.mean);
  expectEqual("rstd", expected.rstd);
}

TEST_F(NormTest, LayerNormBackward) {
  normc::Norm norm = of(NORMC_OP_LAYER_NORM_BACKWARD);
  norm.dy = norm.weight = norm.dx = norm.dweight = norm.dbias = NORMC_TYPE_F32;
  norm.weight_offset = -2;
  compile(norm);
  input("dy", "normal:1", all);
  input("x", "normal:2", all);
  input("mean", "normal:3", outer);
  input("rstd", "const:1.5", outer);
  input("weight", "normal:4", row);
  output("dx", all);
  output("dweight", row);
  output("dbias", row);
  launch({"dy", "x", "mean", "rstd", "weight", "dx", "dweight", "dbias"});
  reference::LayerNormBackwardInputs inputs{
      kRows, kCols, valuesOf("dy"), valuesOf("x"), valuesOf("mean"), valuesOf("rstd")};
  inputs.weight = valuesOf("weight");
  inputs.weightOffset = -2;
  const reference::NormGradients expected = reference::layerNormBackward(inputs);
  expectEqual("dx", expected.dx);
  expectEqual("dweight", expected.dweight);
  expectEqual("dbias", expected.dbias);
}

TEST_F(NormTest, RmsNormAsLlama) {
  normc::Norm norm = of(NORMC_OP_RMS_NORM);
  norm.x = norm.y = NORMC_TYPE_BF16;
  norm.weight = NORMC_TYPE_F32;
  norm.epsilon = 1e-6;
  norm.cast = NORMC_CAST_BEFORE_WEIGHT;
  compile(norm);
  input("x", "normal:1", all, reference::Type::BF16);
  input("weight", "normal:2", row);
  output("y", all, reference::Type::BF16);
  launch({"x", "weight", "y"});
  reference::RmsNormInputs inputs{};
  inputs.rows = kRows;
  inputs.cols = kCols;
  inputs.x = valuesOf("x");
  inputs.weight = valuesOf("weight");
  inputs.epsilon = 1e-6;
  inputs.cast = reference::Cast::BeforeWeight;
  inputs.xType = reference::Type::BF16;
  expectEqual("y", reference::rmsNorm(inputs).y);
}

TEST_F(NormTest, RmsNormBackwardOfOneGradient) {
  normc::Norm norm = of(NORMC_OP_RMS_NORM_BACKWARD);
  norm.dy = norm.dweight = NORMC_TYPE_F32;
  compile(norm);
  input("dy", "normal:1", all);
  input("x", "normal:2", all);
  input("rstd", "const:0.25", outer);
  output("dweight", row);
  launch({"dy", "x", "rstd", "dweight"});
  reference::RmsNormBackwardInputs inputs{kRows, kCols, valuesOf("dy"), valuesOf("x"),
                                          valuesOf("rstd")};
  inputs.mask = {false, true, false};
  expectEqual("dweight", reference::rmsNormBackward(inputs).dweight);
}

TEST_F(NormTest, DytOfErf) {
  normc::Norm norm = of(NORMC_OP_DYT);
  norm.alpha = norm.shift = norm.weight = norm.bias = norm.y = NORMC_TYPE_F32;
  norm.activation = NORMC_ACTIVATION_ERF;
  norm.accuracy = NORMC_ACCURACY_EXACT;
  compile(norm);
  input("x", "normal:1", all);
  input("alpha", "const:0.5", one);
  input("shift", "const:0.25", one);
  input("weight", "normal:2", row);
  input("bias", "normal:3", row);
  output("y", all);
  launch({"x", "alpha", "shift", "weight", "bias", "y"});
  reference::DytInputs inputs{kRows, kCols, valuesOf("x"), 0.5};
  inputs.shift = 0.25;
  inputs.weight = valuesOf("weight");
  inputs.bias = valuesOf("bias");
  inputs.activation = reference::Activation::Erf;
  expectEqual("y", reference::dyt(inputs));
}

TEST_F(NormTest, DytBackward) {
  normc::Norm norm = of(NORMC_OP_DYT_BACKWARD);
  norm.dy = norm.alpha = norm.weight = norm.dx = NORMC_TYPE_F32;
  norm.dalpha = norm.dweight = norm.dbias = NORMC_TYPE_F32;
  compile(norm);
  input("dy", "normal:1", all);
  input("x", "normal:2", all);
  input("alpha", "const:0.75", one);
  input("weight", "normal:3", row);
  output("dx", all);
  output("dalpha", one);
  output("dweight", row);
  output("dbias", row);
  launch({"dy", "x", "alpha", "weight", "dx", "dalpha", "dweight", "dbias"});
  reference::DytBackwardInputs inputs{kRows, kCols, valuesOf("dy"), valuesOf("x"),
                                      0.75};
  inputs.weight = valuesOf("weight");
  const reference::DytGradients expected = reference::dytBackward(inputs);
  expectEqual("dx", expected.dx);
  expectEqual("dalpha", expected.dalpha);
  expectEqual("dweight", expected.dweight);
  expectEqual("dbias", expected.dbias);
}

/// What the compiler says of a norm that contradicts itself.
std::string refusalOf(const normc::Norm &norm) {
  try {
    normc::Compiler(uncached()).compile(norm, {"host"});
  } catch (const normc::Error &error) {
    return error.what();
  }
  return "";
}

TEST(Contradictions, EachNamesItsField) {
  auto refused = [](const char *field, auto change) {
    normc::Norm norm = normc::layerNorm(NORMC_TYPE_F32, 1e-5);
    change(norm);
    const std::string said = refusalOf(norm);
    EXPECT_NE(said.find("\"" + std::string(field) + "\": expected"), std::string::npos)
        << field << ": " << said;
  };
  using normc::Norm;
  refused("op", [](Norm &n) { n.op = normc_op(0); });
  refused("op", [](Norm &n) { n.op = normc_op(7); });
  refused("rank", [](Norm &n) { n.rank = -1; });
  refused("rank", [](Norm &n) { n.rank = 17; });
  refused("norm_dims", [](Norm &n) { n.norm_dims = 3; });
  refused("norm_dims", [](Norm &n) { n.norm_dims = -1; });
  refused("shape", [](Norm &n) { n.withShape({4, 0}); });
  refused("shape", [](Norm &n) { n.withShape({-2, 8}); });
  refused("rank", [](Norm &n) { n.withShape({}); });
  refused("norm_dims", [](Norm &n) { n.withShape({4, 8}, 0); });
  refused("x", [](Norm &n) { n.x = NORMC_TYPE_ABSENT; });
  refused("x", [](Norm &n) { n.x = normc_type(5); });
  refused("y", [](Norm &n) { n.y = normc_type(-1); });
  refused("dy", [](Norm &n) { n.dy = NORMC_TYPE_F32; });
  refused("dx", [](Norm &n) { n.dx = NORMC_TYPE_F32; });
  refused("alpha", [](Norm &n) { n.alpha = NORMC_TYPE_F32; });
  refused("epsilon", [](Norm &n) { n.epsilon = -1; });
  refused("epsilon",
          [](Norm &n) { n.epsilon = std::numeric_limits<double>::quiet_NaN(); });
  refused("epsilon", [](Norm &n) { n.epsilon = 1e300; });
  refused("weight_offset", [](Norm &n) { n.weight_offset = 1; });
  refused("weight_offset", [](Norm &n) {
    n.weight = NORMC_TYPE_F32;
    n.weight_offset = -1e300;
  });
  refused("cast", [](Norm &n) { n.cast = NORMC_CAST_BEFORE_WEIGHT; });
  refused("cast", [](Norm &n) { n.cast = normc_cast(9); });
  refused("activation", [](Norm &n) { n.activation = NORMC_ACTIVATION_ERF; });
  refused("accuracy", [](Norm &n) { n.accuracy = NORMC_ACCURACY_EXACT; });
  refused("bias", [](Norm &n) {
    n.op = NORMC_OP_RMS_NORM;
    n.bias = NORMC_TYPE_F32;
  });
  refused("statistics", [](Norm &n) {
    n = normc::dyt(NORMC_TYPE_F32, NORMC_TYPE_F32);
    n.statistics = 1;
  });
  refused("shift", [](Norm &n) {
    n = normc::dyt(NORMC_TYPE_F32, NORMC_TYPE_F32);
    n.shift = NORMC_TYPE_F32;
  });
  refused("alpha", [](Norm &n) { n = normc::dyt(NORMC_TYPE_F32, NORMC_TYPE_ABSENT); });
}

TEST(Contradictions, NumbersAreOfTheArithmetic) {
  normc::Norm norm = normc::layerNorm(NORMC_TYPE_F32, 1e300);
  norm.y = NORMC_TYPE_F64;
  EXPECT_EQ(refusalOf(norm), "");
}

TEST(Contradictions, NothingAskedFor) {
  normc::Norm norm = normc::layerNorm(NORMC_TYPE_F32, 1e-5);
  norm.y = NORMC_TYPE_ABSENT;
  EXPECT_NE(refusalOf(norm).find("expected a result"), std::string::npos);
  norm.statistics = 1;
  EXPECT_EQ(refusalOf(norm), "");
}

TEST(Contradictions, AStructureOfAnotherSize) {
  normc::Norm norm = normc::layerNorm(NORMC_TYPE_F32, 1e-5);
  norm.struct_size = 8;
  EXPECT_NE(refusalOf(norm).find("struct_size"), std::string::npos);
  norm.struct_size = sizeof(normc_norm_descriptor) + 4;
  EXPECT_NE(refusalOf(norm).find("struct_size"), std::string::npos);
}

} // namespace
