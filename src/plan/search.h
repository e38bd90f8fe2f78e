// The search over one engine's launches of one model: which layouts split, which fit, how fast they
// are, and why the others are out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fit/model_once.h"
#include "plan/judge.h"
#include "plan/memory.h"
#include "plan/placement.h"
#include "plan/plan.h"

namespace sx {

// A layout that fits, before the checker is asked.
struct Draft {
  const Case* bare = nullptr;
  std::string model;  // a sibling's id; empty: the model asked for
  Candidate candidate;
  const Placement* placement = nullptr;
  const Fitted* fit = nullptr;        // of the tightest replica
  const Fitted* whole = nullptr;      // of a smaller KV cache: the same in 16 bits, too tight
  std::size_t tightest = 0;           // which that is
  std::vector<int> stages;            // layers
  std::optional<Speed> speed, alone;  // of the load, and of one user
  Message no_speed;

  double kv_tokens() const {  // of all replicas
    return static_cast<double>(fit->budget->kv_tokens.count()) * candidate.replicas *
           candidate.shape.groups;
  }
};

// A layout that is out; the rule that it breaks is asked for when somebody wants to know.
struct OutDraft {
  Candidate candidate;
  std::optional<SplitProblem> split;  // it does not split
  std::uint32_t reasons = 0;          // all kinds of problems that splitting has, one bit each
  const Fitted* fit = nullptr;        // it splits, and does not fit
};

class Search {
 public:
  // `whole`: the search for the model whose sibling this one's is; null: it is asked for itself.
  Search(const Case& bare, const PlanAsk& ask, std::string sibling = {}, Search* whole = nullptr);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  void run();

  const Case& bare() const { return bare_; }
  int gpus() const { return gpus_; }
  int candidates() const { return candidates_; }
  // Both live as long as the search does.
  std::vector<Draft>& fitting() { return fitting_; }
  const std::vector<Draft>& fitting() const { return fitting_; }
  // How many layouts fit; one that does with either size of cache counts once.
  int layouts_that_fit() const;
  const std::vector<OutDraft>& out() const { return out_; }
  const OutDraft* out_of(const LaunchShape& shape) const;
  // The first rule that it breaks; all empty: none says so.
  Broken why(const OutDraft& out);
  // The memory of one that is out for lack of it, every line; null: it is not known.
  std::shared_ptr<const Budget> whole_budget(const OutDraft& out);
  // Whether the model splits over so many tensor ranks; only sizes that were tried.
  bool splits_into(int tensor) const;
  // One replica of each kind that a draft has: the others are the same on GPUs of the same quality.
  std::vector<int> different_replicas(const Draft& draft) const;
  // Whether a launch would find on these GPUs what it finds on its own.
  bool would_be_the_same_on(const Draft& draft, const std::vector<int>& gpus) const;
  Both shown(const Candidate& candidate) const { return shown_label(candidate, kinds_); }
  // Why no memory could be worked out; empty: it could.
  const Message& memory_unknown() const { return memory_unknown_; }
  const Placement& place(const Candidate& candidate) { return placer_.place(candidate); }
  // What only a plan that is offered needs to be told: how fast it is for one user.
  void complete(Draft& draft);
  // The launch of a draft's tightest replica, to ask; it stands until another one is asked for.
  const Case& launch_of(const Draft& draft) { return launch_of(draft.candidate.shape, *draft.fit); }

 private:
  bool splits(const LaunchShape& shape);
  // Of a sibling, of which nobody asks why a layout is out: its weights alone are too much for so
  // many cards, however they are shared out.
  bool surely_too_heavy(const LaunchShape& shape);
  // Not surely: so that its weights are worth a look before the rest.
  bool likely_too_heavy(const LaunchShape& shape);
  // Whether so many times all weights are more than its cards.
  bool weights_exceed(const LaunchShape& shape, double factor);
  Bytes least_weights();
  const Case& launch_of(const LaunchShape& shape, const Fitted& fit);
  // A launch of that shape on some GPU, nothing chosen; null: the engine has no words for it. It is
  // of that shape until one of the same kind is asked for.
  TriedLaunch* said_as(const LaunchShape& shape);
  // The same with the very flags of that shape, for rules that look at words.
  TriedLaunch* worded_as(const LaunchShape& shape);
  using Launches = std::map<ShapeKind, std::unique_ptr<TriedLaunch>>;
  TriedLaunch* tried_as(Launches& launches, const ShapeKind& kind, const LaunchShape& shape);
  std::optional<Case> read_as(const LaunchShape& shape);
  std::optional<Case> said_as_sibling(const LaunchShape& shape);
  std::optional<Case> said_with_small_cache(const LaunchShape& shape);
  const Fitted& fitted_on(const LaunchShape& shape, const std::vector<int>& gpus, int at_once);
  // Of a candidate's replicas the one with the least room.
  struct Tightest {
    const Fitted* fit = nullptr;
    std::size_t replica = 0;
  };
  void try_out(const Candidate& candidate);
  void try_small_cache(const Candidate& candidate, const Fitted& whole);
  Tightest tightest(const Candidate& candidate);
  // Keeps it as one that fits or one that is out.
  void keep(const Candidate& candidate, const Tightest& tightest, const Fitted* whole);
  RoomAsk room_for(const LaunchShape& shape, int users) const;
  bool beaten_twin(const Candidate& candidate) const;
  void add_speed(Draft& draft);
  SpeedAsk speed_ask(const Draft& draft);
  Broken why_memory(const LaunchShape& shape, const Fitted& fit);

  struct FitKey {
    LaunchShape shape;
    std::string likeness;
    int at_once = 0;
    auto operator<=>(const FitKey&) const = default;
  };

  const Case& bare_;
  const PlanAsk& ask_;
  std::string sibling_;
  Search* whole_ = nullptr;
  ModelOnce once_;
  const Engine* engine_ = nullptr;
  LaunchKinds kinds_;
  Placer placer_;
  int gpus_ = 0;
  int candidates_ = 0;
  std::optional<Bytes> least_weights_;  // of all ranks together; 0: not known
  Bytes largest_card_;
  bool all_held_ = false;  // some layout so far surely holds all that is asked, in 16 bits
  std::set<LaunchShape> too_tight_;  // with a smaller cache too
  std::map<LaunchShape, bool> splits_;
  // Words are read once for all shapes of a kind; what they say is made one shape after the other.
  // Null: the engine has none.
  Launches said_;    // by kinds that differ in more than values
  Launches worded_;  // by kinds of the same flags
  std::map<FitKey, Fitted> fits_;
  std::vector<Draft> fitting_;
  std::vector<OutDraft> out_;
  Message memory_unknown_;
};

}  // namespace sx
