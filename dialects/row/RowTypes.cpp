//===- RowTypes.cpp - Types and the tiling attribute ------------------------===//
#include "dialects/row/Row.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace normc;
using namespace normc::row;

static LogicalResult verifyElement(function_ref<InFlightDiagnostic()> emitError,
                                   Type elementType) {
  if (elementType.isF32() || elementType.isF64())
    return success();
  return emitError()
         << "expected f32 or f64, because values of a row program are in an "
            "accumulator type, but got "
         << elementType;
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               Type elementType) {
  return verifyElement(emitError, elementType);
}

LogicalResult VecType::verify(function_ref<InFlightDiagnostic()> emitError, Axis,
                              Type elementType) {
  return verifyElement(emitError, elementType);
}

Kind normc::row::kindOf(Type type) {
  if (isa<TileType>(type))
    return Kind::Tile;
  if (auto vec = dyn_cast<VecType>(type))
    return vec.getAxis() == Axis::rows ? Kind::Rows : Kind::Cols;
  return Kind::Scalar;
}

Type normc::row::elementTypeOf(Type type) {
  if (auto tile = dyn_cast<TileType>(type))
    return tile.getElementType();
  if (auto vec = dyn_cast<VecType>(type))
    return vec.getElementType();
  return type;
}

Type normc::row::typeOf(Kind kind, Type elementType) {
  MLIRContext *context = elementType.getContext();
  switch (kind) {
  case Kind::Tile:
    return TileType::get(context, elementType);
  case Kind::Rows:
    return VecType::get(context, Axis::rows, elementType);
  case Kind::Cols:
    return VecType::get(context, Axis::cols, elementType);
  case Kind::Scalar:
    return elementType;
  }
  llvm_unreachable("all kinds are handled");
}

Kind normc::row::join(Kind a, Kind b) {
  if (a == b || b == Kind::Scalar)
    return a;
  return a == Kind::Scalar ? b : Kind::Tile;
}

namespace {

/// Parses the value of one knob into its member, whatever the member's type.
struct KnobParser {
  AsmParser &parser;
  schedule::Tiling &tiling;

  ParseResult operator()(int64_t schedule::Tiling::*member) {
    return parser.parseInteger(tiling.*member);
  }
  ParseResult operator()(schedule::Loop schedule::Tiling::*member) {
    return word(member, schedule::parseLoop, "one_shot or persistent");
  }
  ParseResult operator()(schedule::Staging schedule::Tiling::*member) {
    return word(member, schedule::parseStaging, "direct or async");
  }
  ParseResult operator()(schedule::Store schedule::Tiling::*member) {
    return word(member, schedule::parseStore, "direct, from_stage or own_stage");
  }
  ParseResult operator()(schedule::Residency schedule::Tiling::*member) {
    return word(member, schedule::parseResidency, "registers, shared or reload");
  }

  template <typename Enum, typename Parse>
  ParseResult word(Enum schedule::Tiling::*member, Parse parse, StringRef expected) {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return failure();
    auto value = parse(std::string_view(keyword.data(), keyword.size()));
    if (!value)
      return parser.emitError(loc)
             << "expected " << expected << ", but got " << keyword;
    tiling.*member = *value;
    return success();
  }
};

/// Prints the value of one knob.
struct KnobPrinter {
  AsmPrinter &printer;
  const schedule::Tiling &tiling;

  void operator()(int64_t schedule::Tiling::*member) { printer << tiling.*member; }
  template <typename Enum> void operator()(Enum schedule::Tiling::*member) {
    std::string_view word = schedule::toString(tiling.*member);
    printer << StringRef(word.data(), word.size());
  }
};

} // namespace

Attribute TilingAttr::parse(AsmParser &parser, Type) {
  schedule::Tiling tiling;
  llvm::SmallDenseSet<const schedule::TilingField *> seen;
  auto parseKnob = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    for (const schedule::TilingField &field : schedule::kTilingFields) {
      if (name != StringRef(field.name.data(), field.name.size()))
        continue;
      if (!seen.insert(&field).second)
        return parser.emitError(loc) << "knob " << name << " is given twice";
      if (parser.parseEqual())
        return failure();
      return std::visit(KnobParser{parser, tiling}, field.member);
    }
    InFlightDiagnostic diag = parser.emitError(loc)
                              << "expected a knob of #row.tiling (";
    llvm::interleaveComma(schedule::kTilingFields, diag,
                          [&](const schedule::TilingField &field) {
                            diag << StringRef(field.name.data(), field.name.size());
                          });
    return diag << "), but got " << name;
  };
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalGreater()))
    return get(parser.getContext(), tiling);
  if (parser.parseCommaSeparatedList(parseKnob) || parser.parseGreater())
    return {};
  return get(parser.getContext(), tiling);
}

void TilingAttr::print(AsmPrinter &printer) const {
  const schedule::Tiling tiling = getValue(), defaults;
  auto isDefault = [&](const schedule::TilingField &field) {
    return std::visit([&](auto member) { return tiling.*member == defaults.*member; },
                      field.member);
  };
  printer << "<";
  llvm::interleaveComma(
      llvm::make_filter_range(
          schedule::kTilingFields,
          [&](const schedule::TilingField &field) { return !isDefault(field); }),
      printer, [&](const schedule::TilingField &field) {
        printer << StringRef(field.name.data(), field.name.size()) << " = ";
        std::visit(KnobPrinter{printer, tiling}, field.member);
      });
  printer << ">";
}
