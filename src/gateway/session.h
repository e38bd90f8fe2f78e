// One connection of a client: request after request, each relayed to a replica or answered here.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/body_keys.h"
#include "gateway/chunks.h"
#include "gateway/decide.h"
#include "gateway/relay.h"
#include "gateway/request_book.h"

namespace sx {

// Longer, without zeroes for bytes that a read is about to write.
inline void make_room(std::string& text, std::size_t size) {
  text.resize_and_overwrite(size, [](char*, std::size_t all) { return all; });
}

// Shared: its coroutine holds it, and whoever steps through the list of all while it ends.
class ClientSession final : public std::enable_shared_from_this<ClientSession>,
                            private SocketWatcher {
 public:
  ClientSession(Relay& relay, LoopSocket client);
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  void begin();    // runs by itself to its end, and then the relay forgets it
  void abandon();  // the relay goes, and with it what this one waits for

  // From the relay, between the steps of run().
  // When it is to be looked at again, unless it says so by Relay::look_soon() before that.
  GatewayClock::time_point look_at_time(GatewayClock::time_point now);
  void taken_out(const GatewayReplica& replica);
  void end_when_idle();
  void cut_off();

  std::size_t listed_at = SessionList::kNowhere;  // in the relay's list, which keeps it

 private:
  enum class Stage {
    Idle,
    Head,
    Body,
    Connect,
    Send,
    FirstByte,
    Stream,
    ClientWrite,
    Linger,
    Waiting
  };
  enum class Try { Answered, ClientGone, Stale, NotSent, NoAnswer };
  using Parts = std::array<boost::asio::const_buffer, 4>;

  // The answer as it passes.
  struct Passing {
    BodyKind kind = BodyKind::None;
    std::uint64_t left = 0;
    ChunkReader chunks;
    bool events = false;   // whole events alone are passed on
    bool chunked = false;  // towards the client
    bool done = false;
    bool reusable = false;  // the replica's connection, afterwards
    bool torn = false;      // an event too large to be held back was passed on in part
    bool said_done = false;
    bool begun = false;  // its head has gone to the client
    bool cut = false;    // the replica was lost within it
    bool known = false;  // which answer it is has been noted
    bool wraps = false;  // no stream, within one that has begun while it waited
  };

  // session.cpp: a request comes in; session_body.cpp: its body; session_reply.cpp: answers of
  // ours.
  static LoopRoot live(std::shared_ptr<ClientSession> self);
  LoopTask<> run();
  LoopTask<bool> read_head();
  LoopTask<bool> answer();
  LoopTask<bool> read_body();
  LoopTask<bool> read_sized_body();
  LoopTask<bool> read_chunked_body();
  LoopTask<bool> body_broke_off();
  void await_body();
  void answer_here();
  struct Reply {
    int status = 200;
    std::string body;
    int retry_after = 0;  // seconds; 0: not said
    std::string_view type = "application/json";
  };
  void reply(const Reply& reply);
  void answer_metrics();
  bool from_this_machine() const;
  void refuse(const Refusal& refusal);
  LoopTask<bool> send_reply();
  LoopTask<> linger();
  LoopTask<std::size_t> read_client(char* to, std::size_t most);
  LoopTask<bool> write_client(Parts parts);
  bool write_at_once(Parts& parts);
  void client_lost();

  // admission.cpp: which model, and a replica for it, now or after a wait.
  std::optional<Refusal> find_model();
  int priority() const;
  bool take_replica();
  LoopTask<bool> wait_for_replica();
  std::chrono::seconds longest_wait() const;
  GatewayClock::time_point last_moment() const;
  Refusal nobody() const;
  std::optional<Refusal> no_use_to_wait() const;
  void note_wait(const sx::Waiting& me);
  void comment_while_waiting(GatewayClock::time_point now);
  void join_begun_stream(const ResponseHead& head);
  static std::string in_chunk(std::string_view text, bool chunked);
  std::string as_event(std::string_view payload, bool last);
  void refuse_in_stream(const Refusal& refusal);
  bool another_may_answer();
  bool waits_for_restart();
  void begin_wait();

  // What a request keeps from one wait to the next.
  struct WaitTale {
    GatewayClock::time_point began;                 // it may be sent since
    std::optional<GatewayClock::time_point> until;  // of all waits together
    std::uint64_t order = 0;                        // its place in the line, kept
    std::chrono::milliseconds waited{0};            // in earlier ones
    GatewayClock::time_point again_at, news_by;     // see waits_for_restart()
  };

  // forward.cpp: to a replica, and to another one when need be.
  LoopTask<bool> forward();
  LoopTask<Try> try_replica(bool fresh);
  LoopTask<bool> connect();
  LoopTask<bool> send_request();
  LoopTask<bool> read_answer_head();
  LoopTask<bool> come_back(Try last);
  std::string request_head() const;
  void upstream_failed(const Text& why);
  void watch_client();
  void may_read() override;

  // passing.cpp: its answer back.
  LoopTask<bool> pass_answer();
  LoopTask<bool> pass_body(std::size_t at);
  LoopTask<bool> pass_on(std::string_view payload, bool last);
  LoopTask<bool> cut(bool within_event);
  std::string answer_head(const ResponseHead& head) const;
  struct Taken {
    std::size_t at = 0, payload = 0;
    bool broken = false;
  };
  Taken take_piece(std::size_t at, std::size_t size);
  std::string_view piece(std::size_t at, std::size_t size) const {
    return {buffer_.get() + at, size};
  }
  void comment_into_silence(GatewayClock::time_point now);

  void enter(Stage stage, std::chrono::seconds limit);
  void enter_until(Stage stage, GatewayClock::time_point deadline);
  void await_from(std::shared_ptr<GatewayReplica> replica);
  void act_on_time(GatewayClock::time_point now);
  GatewayClock::time_point next_look() const;
  std::size_t most_body() const;  // of this request
  void hold_body_bytes();
  void drop_body();
  void close_upstream();
  void close_client();

  Relay& relay_;
  LoopSocket client_;
  std::coroutine_handle<LoopRoot::promise_type> life_;
  Stage stage_ = Stage::Idle;
  GatewayClock::time_point deadline_;
  bool keep_ = true;   // the client's connection, after this answer
  bool late_ = false;  // a deadline of the client's has passed
  bool gone_ = false;  // the client
  bool answering_ = false;
  bool writing_ = false;

  std::string in_;          // what the client sent and nobody has read yet
  std::string head_bytes_;  // of the request; `head_` looks into it
  RequestHead head_;
  RequestFate fate_;
  std::string body_;
  std::size_t body_held_ = 0;  // as counted
  bool body_whole_ = true;     // read to its end
  GatewayClock::time_point body_until_;
  BodyKeys keys_;
  std::string model_;
  RouteKey key_;
  RequestHints hints_;
  sx::Waiting* line_ = nullptr;  // its place while it waits
  bool full_ = false;            // replicas are there, and have as much as they take
  bool committed_ = false;       // a stream whose head went to the client while it waited
  std::string queue_words_;      // for the header: how it waited
  std::optional<Refusal> unserved_;
  WaitTale tale_;
  GatewayClock::time_point began_;
  Relay::Tried tried_;
  RequestBook book_;

  std::shared_ptr<GatewayReplica> replica_;  // that works on the request
  std::shared_ptr<GatewayReplica> awaited_;  // the same, while the next byte is its to send
  std::string_view why_;                     // it was chosen
  const Text* failure_ = nullptr;            // of it
  std::unique_ptr<LoopSocket> upstream_;
  std::unique_ptr<char[]> buffer_;  // of kPieceBytes: what came from the replica
  std::size_t have_ = 0, answer_at_ = 0;
  std::string out_head_;
  Passing passing_;
  std::vector<HeadField> answer_room_;  // of the last answer's head, to be used again
  GatewayClock::time_point silent_since_;
};

}  // namespace sx
