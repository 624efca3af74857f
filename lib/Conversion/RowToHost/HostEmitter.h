//===- HostEmitter.h - Emits one row kernel for the processor ---------------===//
//
// A workgroup is a block of consecutive rows; it is walked in tiles of R rows and, for
// what is left, in tiles of one row. A tile is walked in passes over its columns: a
// value that needs a row reduction's result belongs to a later pass.
//
// A fragment is what one vector holds of a value. Along the columns (the usual layout)
// it has V consecutive columns of one row, and a tile has R rows of fragments. With a
// lane a row (few columns) it has one column of R rows, and a tile is one fragment
// high.
//
// The order in which a row is summed is a function of columns, V and U alone: column c
// belongs to accumulator (c / V) % U, lane c % V; accumulators are added in a tree,
// lanes in another. So a row's bits depend neither on R nor on the other rows.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_LIB_CONVERSION_ROWTOHOST_HOSTEMITTER_H
#define NORMC_LIB_CONVERSION_ROWTOHOST_HOSTEMITTER_H

#include "../RowEmission/Carried.h"
#include "../RowEmission/RowEmitter.h"
#include "ColumnPasses.h"
#include "dialects/row/Row.h"
#include "normc/Plan/KernelAbi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/ScopedHashTable.h"

#include <optional>

namespace normc::host {

/// One vector's worth of columns of the tile.
struct Chunk {
  /// First column, i64.
  mlir::Value column;
  /// Columns of the chunk: V along the columns, 1 with a lane a row.
  int64_t width;
  /// Columns below cols, or null where all are.
  mlir::Value mask;
  /// Tells chunks of one scope apart.
  int64_t id;
};

/// Some consecutive rows that are computed together.
struct RowGroup {
  int64_t rows;
  /// Address of the first element of row i of each buffer that is indexed by row.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> pointers;
};

class HostEmitter : private RowEmitter {
public:
  /// `builder` stands at the start of the kernel's body.
  HostEmitter(mlir::ImplicitLocOpBuilder &builder, row::KernelOp kernel,
              const schedule::Tiling &tiling, bool collapsed);

  /// Emits the whole body for arguments (args pointer, workgroup).
  void emit(mlir::Value args, mlir::Value workgroup);

private:
  //===--------------------------------------------------------------------===//
  // Lanes (Lanes.cpp)
  //===--------------------------------------------------------------------===//

  /// Reduces the lanes of rows.size() fragments, each of as many vectors as the reduce
  /// has operands, to one vector over the rows for each operand.
  using Combine = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      llvm::ArrayRef<mlir::Value>, llvm::ArrayRef<mlir::Value>)>;
  llvm::SmallVector<mlir::Value>
  reduceLanes(llvm::SmallVector<llvm::SmallVector<mlir::Value>> rows, Combine combine);
  /// The sum of a vector's lanes.
  mlir::Value sumLanes(mlir::Value vector);

  //===--------------------------------------------------------------------===//
  // Values (Values.cpp)
  //===--------------------------------------------------------------------===//

  unsigned bufferIndex(mlir::Value buffer) const;
  mlir::Type elementOf(unsigned buffer);
  mlir::Value scalarOf(mlir::Value value);
  /// A per-row value, or a scalar, as a vector over the rows of the group.
  mlir::Value rowsOf(mlir::Value value, const RowGroup &group);
  /// Any value as the fragment of row i (0 with a lane a row) and chunk.
  mlir::Value fragmentOf(mlir::Value value, const RowGroup &group, int64_t i,
                         const Chunk &chunk);
  mlir::Value loadTile(row::LoadOp op, const RowGroup &group, int64_t i,
                       const Chunk &chunk);
  mlir::Value loadColumns(row::LoadOp op, int64_t lanes, const Chunk &chunk);
  mlir::Value computeFragment(mlir::Value value, const RowGroup &group, int64_t i,
                              const Chunk &chunk, int64_t lanes);
  /// Broadcasts per-row values before a loop over columns, so that it does not.
  void broadcastRows(const RowGroup &group);
  bool isReady(mlir::Value value);
  void setRows(mlir::Value value, mlir::Value vector);
  /// Computes scalars, and per-column values that stay in registers, once for all.
  void hoistInvariants();

  //===--------------------------------------------------------------------===//
  // One tile (Tile.cpp)
  //===--------------------------------------------------------------------===//

  /// What one pass over the columns carries from chunk to chunk, flat: for reduces and
  /// moments [operand][fragment][accumulator], for sums to a scalar [accumulator].
  struct PassState {
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<size_t> reduceBase, momentsBase, sumBase;
    int64_t fragments, accumulators;

    size_t at(size_t base, int64_t operand, int64_t i, int64_t u) const {
      return base + (operand * fragments + i) * accumulators + u;
    }
  };

  RowGroup rowGroup(mlir::Value row, int64_t rows);
  void emitTile(mlir::Value row, int64_t rows, Carried &carried);
  void emitChunks(const ColumnPass &pass, const RowGroup &group,
                  llvm::ArrayRef<Chunk> chunks, PassState &state, Carried &carried);
  void emitStreamed(const ColumnPass &pass, const RowGroup &group, PassState &state,
                    Carried &carried);
  PassState initialState(const ColumnPass &pass, const RowGroup &group);
  /// A loop over columns whose body, given one, works on `state`.
  void chunkLoop(mlir::Value begin, mlir::Value end, int64_t step, PassState &state,
                 llvm::function_ref<void(mlir::Value)> body);
  /// What the body does to `state`, where the condition holds.
  void emitWhere(mlir::Value condition, PassState &state,
                 llvm::function_ref<void()> body);
  void reduceChunk(const ColumnPass &pass, const RowGroup &group, const Chunk &chunk,
                   int64_t u, PassState &state);
  void momentsChunk(const ColumnPass &pass, const RowGroup &group, const Chunk &chunk,
                    int64_t u, PassState &state);
  void accumulateChunk(const ColumnPass &pass, const RowGroup &group,
                       const Chunk &chunk, int64_t u, PassState &state,
                       Carried &carried);
  /// Stores the tiles of row i (0 with a lane a row).
  void storeChunk(const ColumnPass &pass, const RowGroup &group, int64_t i,
                  const Chunk &chunk);
  void finishPass(const ColumnPass &pass, const RowGroup &group, PassState &state,
                  Carried &carried);
  void finishReduce(row::ReduceOp op, size_t base, const PassState &state,
                    const RowGroup &group);
  void finishMoments(const MomentsStep &step, size_t base, const PassState &state,
                     const RowGroup &group);
  void finishRows(const ColumnPass &pass, const RowGroup &group, Carried &carried);
  mlir::Value firstOfRow(row::MomentsOp op, const RowGroup &group);
  mlir::Value maskAt(mlir::Value column, mlir::Value end);
  /// Chunks for columns [begin, end) of known numbers, the last one masked if cut.
  llvm::SmallVector<Chunk> staticChunks(int64_t begin, int64_t end);

  //===--------------------------------------------------------------------===//
  // The block of rows, and sums down the columns (Block.cpp)
  //===--------------------------------------------------------------------===//

  void readArguments(mlir::Value args);
  void emitBlock(mlir::Value workgroup);
  void rowLoop(mlir::Value begin, mlir::Value end, int64_t rows, Carried &carried);
  /// The loop over whole tiles: in two versions where tiles may go past the caches.
  void tileLoop(mlir::Value begin, mlir::Value end, Carried &carried);
  /// Whether that is worth while for an output tile, given lines of enough rows.
  bool mayStorePastCaches(unsigned buffer);
  mlir::Value isApartFromInputs(mlir::Value output);
  /// Whether this launch stores its tiles past the caches; null where none does.
  mlir::Value storesPastCaches();
  Carried zeroSums(int64_t rows);
  void clearColumnSums();
  void storeSums(llvm::ArrayRef<Carried> parts);
  void findSumTargets();
  bool isColumnSum(unsigned sum) const;
  /// One carried fragment of a column sum as it is stored: a vector, or a scalar.
  mlir::Value finalColumn(mlir::Value fragment);
  mlir::Value finalScalar(mlir::Value carried);

  //===--------------------------------------------------------------------===//
  // Adding partials (Finalize.cpp)
  //===--------------------------------------------------------------------===//

  void emitFinalize(mlir::Value workgroup);
  void finalizeColumns(row::FinalizeOp op, mlir::Value workgroup);
  void finalizeScalar(row::FinalizeOp op, mlir::Value workgroup);
  /// Sums over all partials, `width` elements apart, of what stands at each of `bases`.
  llvm::SmallVector<mlir::Value> addPartials(llvm::ArrayRef<mlir::Value> bases,
                                             mlir::Value width, mlir::Type element,
                                             int64_t lanes,
                                             llvm::ArrayRef<mlir::Value> masks);
  /// Elements of one partial: `cols_slots` segments of cols, then scalars, padded to 16
  /// bytes.
  mlir::Value partialWidth(int64_t colsSlots, int64_t scalarSlots, mlir::Type element);

  /// A vector of one lane lies along the columns too.
  bool alongColumns() const { return tiling.lanes_per_row == tiling.vector_elems; }
  /// Lanes of a fragment of a tile of that many rows.
  int64_t lanesOf(int64_t rows) const {
    return alongColumns() ? tiling.vector_elems : rows;
  }
  /// Fragments that a tile of that many rows has one above the other.
  int64_t fragmentsOf(int64_t rows) const { return alongColumns() ? rows : 1; }
  bool unrolled() const {
    return tiling.residency == schedule::Residency::Registers || !alongColumns();
  }
  int64_t chunkWidth() const { return alongColumns() ? tiling.vector_elems : 1; }

  row::KernelOp kernel;
  const schedule::Tiling tiling;
  const bool collapsed;
  ColumnPasses passes;

  // Arguments of the kernel.
  llvm::SmallVector<mlir::Value> pointers;
  llvm::SmallVector<mlir::Value> rowStrides;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> outerStrides;
  llvm::SmallVector<mlir::Value> outerSizes;
  mlir::Value rows, cols, workgroupId;
  std::optional<int64_t> staticCols;

  /// Where each accumulate's sum goes, and its element type there.
  struct SumTarget {
    mlir::Value pointer;
    mlir::Type element;
  };
  llvm::SmallVector<SumTarget> sumTargets;
  /// All chunks of a row where the loop over columns is unrolled.
  llvm::SmallVector<Chunk> allChunks;
  /// Tiles that are stored now go past the caches, which their vectors allow.
  bool pastCaches = false;
  /// x0 and mean - x0 of the moments of the current tile, vectors over its rows.
  llvm::DenseMap<mlir::Operation *, mlir::Value> momentsCenter, momentsShift;

  /// Values that are known in the current scope: (value, fragment, chunk).
  using Key = std::tuple<mlir::Value, int64_t, int64_t>;
  llvm::ScopedHashTable<Key, mlir::Value> known;
};

} // namespace normc::host

#endif // NORMC_LIB_CONVERSION_ROWTOHOST_HOSTEMITTER_H
