//===- NormAttrs.cpp - The attributes of the norm dialect -------------------===//
#include "dialects/norm/Norm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace normc;
using namespace normc::norm;

static StringRef toRef(std::string_view text) { return {text.data(), text.size()}; }
static std::string_view toView(StringRef text) { return {text.data(), text.size()}; }

namespace {
/// Parses the value of one number into its member, whatever the member's type.
struct NumberParser {
  AsmParser &parser;
  schedule::TargetFacts &facts;

  ParseResult operator()(int64_t schedule::TargetFacts::*member) {
    return parser.parseInteger(facts.*member);
  }
  ParseResult operator()(double schedule::TargetFacts::*member) {
    // A double whose decimal form does not round-trip is printed in hexadecimal.
    APFloat value(0.0);
    if (parser.parseFloat(APFloat::IEEEdouble(), value))
      return failure();
    facts.*member = value.convertToDouble();
    return success();
  }
  ParseResult operator()(bool schedule::TargetFacts::*member) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    if (word != "true" && word != "false")
      return parser.emitError(loc) << "expected true or false, but got " << word;
    facts.*member = word == "true";
    return success();
  }
  ParseResult operator()(std::string schedule::TargetFacts::*member) {
    return parser.parseString(&(facts.*member));
  }
  ParseResult operator()(schedule::Backend schedule::TargetFacts::*member) {
    return word(member, schedule::parseBackend, "a backend");
  }
  ParseResult operator()(schedule::AsyncCopy schedule::TargetFacts::*member) {
    return word(member, schedule::parseAsyncCopy, "a kind of asynchronous copy");
  }

  template <typename Enum, typename Parse>
  ParseResult word(Enum schedule::TargetFacts::*member, Parse parse,
                   StringRef expected) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    auto value = parse(toView(keyword));
    if (!value)
      return parser.emitError(loc)
             << "expected " << expected << ", but got " << keyword;
    facts.*member = *value;
    return success();
  }
};

/// Prints the value of one number.
struct NumberPrinter {
  AsmPrinter &printer;
  const schedule::TargetFacts &facts;

  void operator()(int64_t schedule::TargetFacts::*member) { printer << facts.*member; }
  void operator()(double schedule::TargetFacts::*member) {
    printer.printFloat(APFloat(facts.*member));
  }
  void operator()(bool schedule::TargetFacts::*member) {
    printer << (facts.*member ? "true" : "false");
  }
  void operator()(std::string schedule::TargetFacts::*member) {
    printer.printString(facts.*member);
  }
  template <typename Enum> void operator()(Enum schedule::TargetFacts::*member) {
    printer << toRef(schedule::toString(facts.*member));
  }
};
} // namespace

static llvm::hash_code hashNumber(double value) {
  return llvm::hash_value(llvm::bit_cast<uint64_t>(value));
}
template <typename T> static llvm::hash_code hashNumber(const T &value) {
  return llvm::hash_value(value);
}

llvm::hash_code schedule::hash_value(const TargetFacts &facts) {
  llvm::hash_code hash = llvm::hash_value(facts.name);
  for (const TargetField &field : kTargetFields)
    std::visit(
        [&](auto member) {
          hash = llvm::hash_combine(hash, hashNumber(facts.*member));
        },
        field.member);
  return hash;
}

/// `, name = value` of a number of the target, after its name.
static ParseResult parseField(AsmParser &parser, schedule::TargetFacts &facts,
                              llvm::StringSet<llvm::MallocAllocator> &seen) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  const auto *field =
      llvm::find_if(schedule::kTargetFields, [&](const auto &candidate) {
        return toRef(candidate.name) == name;
      });
  if (field == std::end(schedule::kTargetFields)) {
    InFlightDiagnostic error = parser.emitError(loc);
    error << "expected a number of a target (";
    llvm::interleaveComma(schedule::kTargetFields, error,
                          [&](const auto &known) { error << toRef(known.name); });
    return error << "), but got " << name;
  }
  if (!seen.insert(name).second)
    return parser.emitError(loc)
           << "expected each number once, but got " << name << " again";
  if (parser.parseEqual())
    return failure();
  return std::visit(NumberParser{parser, facts}, field->member);
}

Attribute TargetAttr::parse(AsmParser &parser, Type) {
  std::string name, error;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&name))
    return {};
  std::optional<schedule::TargetFacts> facts =
      schedule::lookupTarget(toView(name), error);
  if (!facts) {
    parser.emitError(loc) << error;
    return {};
  }
  // The table may answer with a more exact name; the text keeps the one asked for.
  facts->name = name;
  llvm::StringSet<llvm::MallocAllocator> seen;
  while (succeeded(parser.parseOptionalComma()))
    if (parseField(parser, *facts, seen))
      return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TargetAttr>(loc, parser.getContext(), std::move(*facts));
}

void TargetAttr::print(AsmPrinter &printer) const {
  const schedule::TargetFacts &facts = getFacts();
  std::string error;
  schedule::TargetFacts known =
      schedule::lookupTarget(facts.name, error).value_or(schedule::TargetFacts());
  printer << "<";
  printer.printString(facts.name);
  for (const schedule::TargetField &field : schedule::kTargetFields)
    std::visit(
        [&](auto member) {
          if (facts.*member == known.*member)
            return;
          printer << ", " << toRef(field.name) << " = ";
          NumberPrinter{printer, facts}(member);
        },
        field.member);
  printer << ">";
}

/// The decisions divide by some numbers and add up the others.
LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 schedule::TargetFacts facts) {
  constexpr int64_t schedule::TargetFacts::*divisors[] = {
      &schedule::TargetFacts::subgroup_size, &schedule::TargetFacts::max_workgroup_size,
      &schedule::TargetFacts::max_cluster_size,
      &schedule::TargetFacts::max_access_bytes};
  for (const schedule::TargetField &field : schedule::kTargetFields) {
    if (const auto *member =
            std::get_if<int64_t schedule::TargetFacts::*>(&field.member)) {
      int64_t least = llvm::is_contained(divisors, *member) ? 1 : 0;
      if (facts.**member < least)
        return emitError() << "expected " << toRef(field.name) << " >= " << least
                           << ", because it is a size, but got " << facts.**member;
    }
    if (const auto *member =
            std::get_if<double schedule::TargetFacts::*>(&field.member))
      if (!std::isfinite(facts.**member) || facts.**member < 0)
        return emitError() << "expected " << toRef(field.name)
                           << " to be finite and >= 0, because it is a rate or a time, "
                              "but got "
                           << std::to_string(facts.**member);
  }
  return success();
}

#define GET_ATTRDEF_CLASSES
#include "norm/NormAttrs.cpp.inc"

void NormDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "norm/NormAttrs.cpp.inc"
      >();
}
