//===- Errors.cpp - Errors as objects of the C API ---------------------------===//
#include "Errors.h"

#include "mlir/IR/Location.h"

using namespace mlir;
using normc::capi::DiagnosticCollector;

normc_error *normc::capi::makeError(normc_error_code code, const llvm::Twine &message) {
  return new normc_error{code, message.str(), {}};
}

DiagnosticCollector::DiagnosticCollector(MLIRContext &context)
    : handler(&context, [this](Diagnostic &diagnostic) {
        // Remarks and warnings end here: nothing is printed.
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          add(diagnostic);
        return success();
      }) {}

/// Where a location is in a file; nothing in one that is not.
static FileLineColLoc fileOf(Location location) {
  if (auto found = location->findInstanceOf<FileLineColLoc>())
    return found;
  return {};
}

void DiagnosticCollector::add(const Diagnostic &diagnostic) {
  normc_error::Place place;
  place.message = diagnostic.str();
  if (FileLineColLoc location = fileOf(diagnostic.getLocation())) {
    place.file = location.getFilename().str();
    place.line = location.getLine();
    place.column = location.getColumn();
  }
  if (message.empty())
    message = place.message;
  places.push_back(std::move(place));
  for (Diagnostic &note : const_cast<Diagnostic &>(diagnostic).getNotes())
    add(note);
}

normc_error *DiagnosticCollector::takeError(normc_error_code code,
                                            llvm::StringRef otherwise) {
  normc_error *error =
      normc::capi::makeError(code, message.empty() ? otherwise : message);
  error->places = std::move(places);
  return error;
}

normc_error_code normc_error_get_code(const normc_error *error) noexcept {
  return error ? error->code : NORMC_ERROR_INVALID_ARGUMENT;
}

const char *normc_error_get_message(const normc_error *error) noexcept {
  return error ? error->message.c_str() : "expected an error, but got null";
}

size_t normc_error_get_location_count(const normc_error *error) noexcept {
  return error ? error->places.size() : 0;
}

normc_location normc_error_get_location(const normc_error *error,
                                        size_t index) noexcept {
  if (index >= normc_error_get_location_count(error))
    return {"", 0, 0, ""};
  const normc_error::Place &place = error->places[index];
  return {place.file.c_str(), place.line, place.column, place.message.c_str()};
}

void normc_error_release(normc_error *error) noexcept { delete error; }
