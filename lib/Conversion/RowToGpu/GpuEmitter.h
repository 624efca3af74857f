//===- GpuEmitter.h - Emits one row kernel for a GPU ------------------------===//
//
// A workgroup takes tiles of rows_per_tile rows; `lanes_per_row` lanes share a row, so
// that T / lanes_per_row groups of lanes work side by side, each on a row at a time.
// Lane l of a group holds columns (c * lanes_per_row + l) * V .. + V of chunk c: a
// fragment.
//
// A row is summed over the elements of a lane, then over lanes by shuffles, then over
// subgroups through workgroup memory: an order that columns, types and tiling fix, so
// that a row's bits depend on no other row.
//
// Rows past the end are computed as copies of the last one, so that control flow is the
// same in all lanes; they are not stored and add nothing.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_LIB_CONVERSION_ROWTOGPU_GPUEMITTER_H
#define NORMC_LIB_CONVERSION_ROWTOGPU_GPUEMITTER_H

#include "../RowEmission/Carried.h"
#include "../RowEmission/RowEmitter.h"
#include "TargetHooks.h"
#include "normc/Analysis/Phases.h"
#include "normc/Plan/KernelAbi.h"

#include "llvm/ADT/ScopedHashTable.h"

#include <optional>

namespace normc::gpu {

/// The columns of one lane's access in one chunk.
struct Chunk {
  /// First column of the access, i64.
  mlir::Value column;
  /// Where not all of the access is the lane's own: its own columns are those from here
  /// on. An access that would pass the row's end is moved back to end there, so that no
  /// lane has to branch; what it holds twice is masked in sums, and stored twice with
  /// the same value.
  mlir::Value own;
  /// For rows that may be narrower than an access: the first column, or all of them,
  /// are inside the row, and lanes branch.
  mlir::Value begins, whole;
  int64_t id;
};

/// One row that a group of lanes works on.
struct RowSlot {
  /// The row is one of the kernel's; null where it always is.
  mlir::Value valid;
  /// Address of the row in each buffer that is indexed by row.
  llvm::SmallVector<mlir::Value> pointers;
  /// Which of the tile's rows of its group of lanes it is.
  int64_t number = 0;
};

class GpuEmitter : private RowEmitter {
public:
  GpuEmitter(mlir::ImplicitLocOpBuilder &builder, row::KernelOp kernel,
             const schedule::Tiling &tiling, bool collapsed, bool aligned,
             TargetHooks &hooks);

  /// Emits the whole body for the flat arguments of the kernel.
  void emit(mlir::ValueRange arguments);

  /// Workgroup memory that a kernel with this tiling needs, in bytes.
  int64_t sharedBytes() const { return std::max(sharedHigh, sharedUsed); }
  /// Lanes of a workgroup as it is launched: with those that copy for the others.
  int64_t launchedLanes() const { return tiling.workgroup_size + producerLanes; }

private:
  using Key = std::tuple<mlir::Value, int64_t, int64_t>;
  using Scope = llvm::ScopedHashTable<Key, mlir::Value>::ScopeTy;

  //===--------------------------------------------------------------------===//
  // Values (Values.cpp)
  //===--------------------------------------------------------------------===//

  unsigned bufferIndex(mlir::Value buffer) const;
  mlir::Type elementOf(unsigned buffer);
  mlir::Value scalarOf(mlir::Value value);
  /// A per-row value, or a scalar, for row slot q.
  mlir::Value rowOf(mlir::Value value, llvm::ArrayRef<RowSlot> slots, int64_t q);
  /// Any value as the fragment of row slot q and chunk, a vector of V.
  mlir::Value fragmentOf(mlir::Value value, llvm::ArrayRef<RowSlot> slots, int64_t q,
                         const Chunk &chunk);
  /// The elements of a chunk as they are in memory, 16-bit floats as integers.
  mlir::Value loadFragment(mlir::Value row, mlir::Type element, const Chunk &chunk);
  mlir::Value loadBranching(mlir::Value row, mlir::Type element, const Chunk &chunk);
  mlir::Value rawOf(row::LoadOp load, llvm::ArrayRef<RowSlot> slots, int64_t q,
                    const Chunk &chunk);
  mlir::Value widen(mlir::Value raw, mlir::Type element, mlir::Type to);
  mlir::Value loadElements(mlir::Value row, mlir::Type element, const Chunk &chunk);
  void storeFragment(mlir::Value value, mlir::Value row, mlir::Type element,
                     const Chunk &chunk);
  /// The fragment with `neutral` where the row has no column.
  mlir::Value maskedFragment(mlir::Value fragment, mlir::Value neutral,
                             const Chunk &chunk);
  mlir::Value elementsInside(const Chunk &chunk);
  void hoistInvariants();

  //===--------------------------------------------------------------------===//
  // Reductions over the lanes of a row (Exchange.cpp)
  //===--------------------------------------------------------------------===//

  using Values = llvm::SmallVector<mlir::Value>;
  /// One value of several parts for each row slot, reduced over the lanes of the row.
  /// All reductions of a pass share the exchange through workgroup memory.
  struct Reduction {
    llvm::SmallVector<Values> parts;
    /// Combines two sides, of that many lanes.
    std::function<Values(llvm::ArrayRef<mlir::Value>, llvm::ArrayRef<mlir::Value>,
                         int64_t xLanes, int64_t yLanes)>
        combine;
    /// Two lanes that swap their sides get the same bits.
    bool isSymmetric = false;
  };
  void reduceOverLanes(llvm::MutableArrayRef<Reduction> reductions);
  mlir::Value shuffle(mlir::Value value, int64_t distance);
  /// The value of the first lane of the row, which is one subgroup wide at most.
  mlir::Value fromFirstLane(mlir::Value value);
  void exchange(llvm::MutableArrayRef<Reduction> reductions);
  void exchangeInCluster(llvm::MutableArrayRef<Reduction> reductions);
  /// Combines values of that many lanes each, in a tree of their order.
  Values combineInOrder(const Reduction &reduction, llvm::SmallVector<Values> each,
                        int64_t lanesEach);
  /// One lane of the row, in all of the workgroups that share it.
  mlir::Value isFirstOfRow();
  /// Bytes of workgroup memory that start at a multiple of 16; both halves alternate
  /// with the iteration of the loop over tiles when `twice`.
  mlir::Value sharedRegion(int64_t bytes, bool twice);

  //===--------------------------------------------------------------------===//
  // One tile (Tile.cpp)
  //===--------------------------------------------------------------------===//

  RowSlot rowSlot(mlir::Value row, mlir::Value firstOfTile, int64_t number = 0,
                  bool isStaged = true);
  void emitTile(mlir::Value tile, Carried &carried);
  void issueLoads(llvm::ArrayRef<RowSlot> slots);
  void emitBatch(llvm::ArrayRef<RowSlot> slots, Carried &carried);
  void finishRows(const row::Phase &phase, llvm::ArrayRef<RowSlot> slots,
                  Carried &carried);
  void storeChunk(row::StoreOp store, llvm::ArrayRef<RowSlot> slots, size_t q,
                  const Chunk &chunk);
  struct Walk;
  Walk walkOf(const row::Phase &phase, size_t slotCount);
  void walkColumns(const row::Phase &phase, llvm::ArrayRef<RowSlot> slots,
                   Carried &carried);
  void sumChunk(const Walk &walk, llvm::ArrayRef<RowSlot> slots, const Chunk &chunk,
                Values &values, Carried &carried);
  void reduceChunk(const Walk &walk, llvm::ArrayRef<RowSlot> slots, const Chunk &chunk,
                   Values &values);
  Values reduceElements(row::ReduceOp op, llvm::ArrayRef<mlir::Value> running);
  void subgroupMoments(row::MomentsOp op, llvm::ArrayRef<RowSlot> slots);
  Values laneMoments(row::MomentsOp op, llvm::ArrayRef<RowSlot> slots, int64_t q);
  Values combineMoments(llvm::ArrayRef<mlir::Value> x, llvm::ArrayRef<mlir::Value> y);
  void reducePhase(const row::Phase &phase, const Walk &walk,
                   llvm::ArrayRef<RowSlot> slots);
  /// Calls for each chunk of the lane: unrolled, or in a loop that carries `values`.
  void forEachChunk(Values &values,
                    llvm::function_ref<void(const Chunk &, Values &)> body);
  Values combineCountedMoments(llvm::ArrayRef<mlir::Value> x,
                               llvm::ArrayRef<mlir::Value> y, int64_t xCount,
                               int64_t yCount);
  mlir::Value laneCount();
  std::optional<int64_t> equalCount();
  /// A value of the lane's own part of a row, from which its moments are taken.
  mlir::Value firstOfLane(row::MomentsOp op, llvm::ArrayRef<RowSlot> slots, int64_t q);
  mlir::Value sumElements(mlir::Value vector);

  //===--------------------------------------------------------------------===//
  // The loop over tiles, and sums down the columns (Skeleton.cpp, Columns.cpp)
  //===--------------------------------------------------------------------===//

  void readArguments(mlir::ValueRange arguments);
  void findLanes();
  llvm::SmallVector<Chunk> staticChunks();
  Chunk chunkAt(mlir::Value step, int64_t id, bool checked);
  void emitRows();
  bool isColumnSum(unsigned sum) const;
  Carried zeroSums();
  void storeSums(const Carried &carried);
  struct SumTarget {
    mlir::Value pointer;
    mlir::Type element;
    /// Column 0 lies at a multiple of 16 bytes.
    bool isAligned = false;
  };
  void storeColumnSum(unsigned sum, llvm::ArrayRef<mlir::Value> fragments,
                      SumTarget target);
  void storeScalarSum(unsigned sum, mlir::Value value, SumTarget target);
  /// The same where workgroups of a cluster add theirs first (ClusterSums.cpp).
  void storeSumsOfCluster(const Carried &carried);
  void addInCluster(unsigned sum, mlir::Value region);
  bool storeWholeFragment(mlir::Value fragment, SumTarget target, const Chunk &chunk);
  void storeFragmentElements(mlir::Value fragment, mlir::Value pointer,
                             mlir::Type element, const Chunk &chunk);
  SumTarget sumTarget(unsigned sum);
  void storeScalarsOfCluster(const Carried &carried);
  mlir::Value partialWidth(int64_t colsSlots, int64_t scalarSlots, mlir::Type element);

  //===--------------------------------------------------------------------===//
  // Tiles copied ahead (Staging.cpp)
  //===--------------------------------------------------------------------===//

  struct Stages {
    mlir::Value barriers, memory, tiles;
    /// Bytes of one stage, and where each buffer's tile lies in it.
    int64_t bytes = 0;
    llvm::SmallDenseMap<unsigned, int64_t> offsets;
    /// The tile at hand, its stage, and the phase of the stage's barrier.
    mlir::Value tile, current, phase;
    /// The stage has been read since it was filled.
    bool isRead = false;
    /// Every lane copies what it reads itself: nothing but its own copies is awaited.
    bool byLane = false;
  };
  /// Results that leave through workgroup memory: where each output's tile lies in its
  /// stage, which is the one of the tile at hand or one of two in turn.
  struct ResultStages {
    mlir::Value memory;
    int64_t bytes = 0;
    llvm::SmallDenseMap<unsigned, int64_t> offsets;
  };
  bool canStage();
  bool canCopyInBulk();
  bool canCopyByLane();
  /// Bytes of the stages' barriers, the first of workgroup memory.
  int64_t stageBarrierBytes();
  /// Bytes of a row in a stage, of this workgroup's columns alone.
  int64_t rowBytes(unsigned buffer);
  llvm::SmallVector<unsigned> stagedBuffers();
  llvm::SmallVector<unsigned> resultBuffers();
  void layOutStages();
  void beginStages(mlir::Value firstTile, mlir::Value tiles);
  void initBarriers(llvm::function_ref<void()> more);
  mlir::Value stageBarrier(mlir::Value stage);
  mlir::Value stagePointer(mlir::Value stage, unsigned buffer);
  void issueStage(mlir::Value tile, mlir::Value stage);
  using Copy = llvm::function_ref<void(mlir::Value inStage, mlir::Value inMemory,
                                       mlir::Value bytes)>;
  /// Calls for each stretch of memory that the buffer's rows of a tile take.
  void copyRows(unsigned buffer, mlir::Value tile, mlir::Value inStage, Copy copy);
  mlir::Value rowsOfTile(mlir::Value tile);
  void awaitBarrier(mlir::Value barrier, mlir::Value phase, bool ofCluster);
  void awaitStage();
  void refillStage();
  void finishStage();
  void endStages();
  std::pair<mlir::Value, mlir::Value> nextStage(mlir::Value stage, mlir::Value phase);
  mlir::Value isFirstLane();
  /// Tiles are read again from their stage in every phase.
  bool staysInStage() const {
    return stages && tiling.residency == schedule::Residency::Shared;
  }
  /// The exchange of a row's reductions tells that its stage has been read.
  bool exchangeFreesStage() const {
    return stages && stages->isRead && isLastBatch && !stages->byLane &&
           !staysInStage() && tiling.store != schedule::Store::FromStage;
  }

  //===--------------------------------------------------------------------===//
  // Results through workgroup memory (ResultStages.cpp)
  //===--------------------------------------------------------------------===//

  bool canStageResults();
  void beginResults();
  mlir::Value resultPointer(unsigned buffer);
  void sendResults();

  //===--------------------------------------------------------------------===//
  // Copies of a lane for itself (LaneStages.cpp)
  //===--------------------------------------------------------------------===//

  int64_t lanePieceBytes(unsigned buffer);
  mlir::Value lanePiece(mlir::Value stage, unsigned buffer, int64_t rowNumber,
                        int64_t chunk);
  void issueLaneStage(mlir::Value tile, mlir::Value stage);
  mlir::Value loadLanePiece(unsigned buffer, int64_t rowNumber, const Chunk &chunk);

  //===--------------------------------------------------------------------===//
  // The sums of a row before the end of the one before it (Skew.cpp)
  //===--------------------------------------------------------------------===//

  /// What crosses from a row's sums to its end: the exchange that is under way.
  static constexpr int64_t kSkewSlots = 4;
  struct Skew {
    mlir::Value freed, exchanges, slots;
    /// The row's number among those of this workgroup.
    mlir::Value number;
    llvm::SmallVector<Reduction> reductions;
    llvm::SmallVector<mlir::Operation *> reduced;
  };
  struct SkewedRow {
    mlir::Value tile, number, stage, phase;
    Values loaded;
  };
  bool canSkew();
  void emitSkewed();
  void beginSkew(mlir::Value tiles);
  void produce();
  void consume(Carried &carried);
  void emitSkewedLoop(Carried &carried);
  Values loadRowValues(mlir::Value row);
  RowSlot beginRow(const SkewedRow &row);
  void emitSums(const SkewedRow &row, Carried &carried);
  void emitEnd(const SkewedRow &row, Carried &carried);
  int64_t exchangeParts() const;
  mlir::Value exchangeSlot(size_t value, mlir::Value part, mlir::Type type);
  mlir::Value exchangeBarrier();
  void sendReductions(llvm::ArrayRef<Reduction> reductions);
  void receiveReductions();
  Values combineAcrossLanes(const Reduction &reduction, Values mine, int64_t across);

  //===--------------------------------------------------------------------===//
  // Adding partials (Finalize.cpp)
  //===--------------------------------------------------------------------===//

  void emitFinalize();
  void finalizeSegment(row::FinalizeOp op);
  mlir::Value addGroups(mlir::Value total, mlir::Value region, mlir::Type type);
  /// The sum of what stands at `base` in partials first, first + step, ...
  mlir::Value addPartials(mlir::Value base, mlir::Value width, mlir::Type element,
                          mlir::Value first, mlir::Value step);

  bool unrolled() const { return tiling.residency != schedule::Residency::Reload; }
  int64_t subgroup() const { return hooks.subgroupSize(); }
  /// Parts of a row that lie in different workgroups; 0: as many as the row has steps
  /// of a workgroup.
  int64_t columnParts() const { return tiling.col_blocks * tiling.cluster_cols; }
  /// Columns of one part, a whole number of accesses; static unless the parts are
  /// steps.
  int64_t partWidth() const {
    if (columnParts() == 0)
      return tiling.lanes_per_row * tiling.vector_elems;
    return llvm::divideCeil(*staticCols, columnParts() * tiling.vector_elems) *
           tiling.vector_elems;
  }
  mlir::Value less(mlir::Value a, mlir::Value b);
  void ifThen(mlir::Value condition, llvm::function_ref<void()> body);

  row::KernelOp kernel;
  const schedule::Tiling tiling;
  const bool collapsed, aligned;
  TargetHooks &hooks;
  row::PhaseAnalysis phases;
  /// All accumulates in program order.
  llvm::SmallVector<row::AccumulateOp> sums;

  llvm::SmallVector<mlir::Value> pointers, rowStrides, outerSizes;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> outerStrides;
  mlir::Value rows, cols;
  std::optional<int64_t> staticCols, staticRows;

  /// This lane in the workgroup, in its row, and its group's number; i64.
  mlir::Value lane, laneOfRow, group;
  /// This workgroup among those that share the rows, how many they are, and its first
  /// column and the one behind its last.
  mlir::Value rowGroup, rowGroups, columnBegin, columnEnd;
  /// This workgroup among those of its cluster that share its rows; null without.
  mlir::Value rank;
  /// This workgroup among those of its cluster that add their partials; null without.
  mlir::Value partialRank;
  /// Lanes behind the others that copy tiles for them.
  int64_t producerLanes = 0;
  /// 0 or 1 in turn in a loop over tiles, null without one.
  mlir::Value parity;
  llvm::SmallVector<Chunk> allChunks;
  std::optional<Stages> stages;
  std::optional<ResultStages> results;
  std::optional<Skew> skew;
  /// The batch at hand is the last of its tile.
  bool isLastBatch = true;
  /// Workgroup memory that is taken now, and the most that was at any time.
  int64_t sharedUsed = 0, sharedHigh = 0;
  /// What is known in the current scope: per-row values, accesses as they are in
  /// memory, kept maps. Fragments are known within one phase: the packed form of a tile
  /// lives from phase to phase, since it takes half of the registers.
  llvm::ScopedHashTable<Key, mlir::Value> known, fragments;
  bool isFirstPhase = true;
  /// Columns of one lane, where all lanes have as many.
  int64_t momentsCount = 0;
};

} // namespace normc::gpu

#endif // NORMC_LIB_CONVERSION_ROWTOGPU_GPUEMITTER_H
