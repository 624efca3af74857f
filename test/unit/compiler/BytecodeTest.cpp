//===- BytecodeTest.cpp - Bytecode of anyone is read without harm -------------===//
#include "normc/Compiler/Source.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"

#include <gtest/gtest.h>
#include <thread>

using namespace mlir;
using namespace normc;

namespace {

constexpr const char *kNorm = R"(
func.func @dyt(%x: memref<?x512xbf16> {norm.name = "x"}, %a: memref<1xf32>,
               %w: memref<512xf32>, %y: memref<?x512xbf16>) {
  norm.dyt x(%x : memref<?x512xbf16>) alpha(%a : memref<1xf32>)
      weight(%w : memref<512xf32>) outs y(%y : memref<?x512xbf16>)
  return
})";

class Bytecode : public testing::Test {
protected:
  OwningOpRef<ModuleOp> read(StringRef source) {
    said.clear();
    return context.readBytes(source, "source.mlirbc");
  }

  static std::string write(ModuleOp module) {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(module, os)));
    return bytes;
  }

  /// Bytecode of a text whose operations are not verified.
  std::string write(StringRef text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        text, ParserConfig(context.get(), /*verifyAfterParse=*/false), "test.mlir");
    EXPECT_TRUE(module);
    return write(*module);
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os, OpPrintingFlags().printGenericOpForm().enableDebugInfo());
    return text;
  }

  /// Reads what must end in a valid module or in an error.
  void expectNoHarm(StringRef bytes, const Twine &what) {
    OwningOpRef<ModuleOp> module = read(bytes);
    if (module)
      EXPECT_TRUE(succeeded(verify(*module))) << what.str();
    else
      EXPECT_NE(said.find("error: "), std::string::npos) << what.str() << said;
    EXPECT_EQ(said.find("PLEASE submit a bug report"), std::string::npos) << what.str();
    crashes += StringRef(said).contains("gave: signal");
  }

  std::string said;
  llvm::raw_string_ostream stream{said};
  SourceContext context{stream};
  int crashes = 0;
};

TEST_F(Bytecode, IsReadAsItsTextIs) {
  for (const char *source :
       {kNorm, "module {}", "",
        R"(module @m attributes {norm.a = "\00\"}) : <", norm.f = 0x7FC00001 : f32} {}
           loc(callsite("f"("other.mlir":7:9) at "g")))"}) {
    OwningOpRef<ModuleOp> text = read(source);
    ASSERT_TRUE(text) << said;
    OwningOpRef<ModuleOp> module = read(write(*text));
    ASSERT_TRUE(module) << said;
    EXPECT_EQ(print(*module), print(*text));
  }
}

TEST_F(Bytecode, ErrorsOfItsOperationsAreAtTheirPlaces) {
  std::string text = kNorm;
  text.replace(text.find("<1xf32>)\n"), 7, "<2xf32>");
  text.replace(text.find("%a: memref<1xf32>"), 17, "%a: memref<2xf32>");
  EXPECT_FALSE(read(write(text)));
  EXPECT_NE(said.find("test.mlir:4:3: error: 'norm.dyt' op expected alpha"),
            std::string::npos)
      << said;
}

// MLIR's reader crashes, or never ends, at some of these.
TEST_F(Bytecode, NoByteThatIsWrongDoesHarm) {
  const std::string sound = write(StringRef(kNorm));
  for (size_t at = 0; at < sound.size(); ++at)
    for (int change : {0x01, 0x10, 0x80, 0xff}) {
      std::string bytes = sound;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      expectNoHarm(bytes, "byte " + Twine(at) + " ^ " + Twine(change));
    }
  RecordProperty("crashes of the reader", crashes);
}

TEST_F(Bytecode, NoLengthThatIsWrongDoesHarm) {
  const std::string sound = write(StringRef(kNorm));
  for (size_t size = 0; size < sound.size(); ++size)
    expectNoHarm(StringRef(sound).take_front(size), Twine(size) + " bytes");
  expectNoHarm(sound + sound, "twice");
  expectNoHarm(sound + std::string(size_t(1) << 20, '\xff'), "bytes behind");
}

/// Runs the work where the stack has room for what it builds.
template <typename Work> void onLargeStack(Work work) {
  llvm::thread(std::optional<unsigned>(1u << 30), work).join();
}

TEST_F(Bytecode, NoDepthDoesHarm) {
  constexpr int kDepth = 4000;
  OpBuilder builder(context.get());
  Location loc = builder.getUnknownLoc();
  Attribute nested = builder.getUnitAttr();
  for (int i = 0; i < kDepth; ++i)
    nested = builder.getArrayAttr(nested);
  std::string modules, attributes;
  onLargeStack([&] {
    OwningOpRef<ModuleOp> outer = ModuleOp::create(loc);
    (*outer)->setAttr("norm.nested", nested);
    attributes = write(*outer);
    (*outer)->removeAttr("norm.nested");
    for (int i = 0; i < kDepth; ++i) {
      builder.setInsertionPointToStart(i == 0 ? outer->getBody()
                                              : builder.getInsertionBlock());
      builder.setInsertionPointToStart(ModuleOp::create(builder, loc).getBody());
    }
    modules = write(*outer);
    outer = nullptr;
  });
  for (StringRef bytes : {modules, attributes}) {
    expectNoHarm(bytes, "nested");
    EXPECT_NE(said, "");
  }
}

TEST_F(Bytecode, ThreadsReadAtTheSameTime) {
  const std::string sound = write(StringRef(kNorm));
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < right.size(); ++i)
    threads.emplace_back([&, i] {
      std::string mine;
      llvm::raw_string_ostream os(mine);
      for (int turn = 0; turn < 20; ++turn) {
        // A context of its own each time: what it loads is under way when others fork.
        SourceContext other(os);
        right[i] += bool(other.readBytes(sound, "sound")) &&
                    !other.readBytes(StringRef(sound).drop_back(20), "cut");
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, std::vector<int>(4, 20));
}

} // namespace
