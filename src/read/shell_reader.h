// The grammar of commands: what is a word of which command, what is assigned, what is skipped.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read/shell_context.h"
#include "read/shell_cursor.h"
#include "read/shell_word_reader.h"

namespace sx {

// A command while it is read.
struct PendingCommand {
  struct Assignment {
    std::string name;
    ShellVariable variable;
    bool append = false;
  };
  Command command;
  std::vector<Assignment> assignments;  // in front of the words, or of `export` and its like
  std::vector<bool> bare;               // a word without quotes and variables
  bool begun = false;
  bool sees_assignments = false;  // a scope is open in which A=1 B=$A sees A
  bool is_test = false;           // [ … ] or [[ … ]]
  bool discarded = false;         // the head of a for or case: words that no one runs
};

class ShellReader {
 public:
  // Reads part.text from `begin` on into context.out.
  ShellReader(ShellContext& context, const ShellPart& part, std::size_t begin,
              std::vector<Setting> inherited = {})
      : context_(context),
        part_(part),
        cursor_(part.text, begin),
        words_(context_, part_, cursor_),
        inherited_(std::move(inherited)) {}

  void read();

 private:
  enum class Joint { None, And, Or, Pipe };  // what stood in front of the command
  enum class Block { Branch, Case, Subshell };

  // shell_reader.cpp: the grammar
  bool step();
  bool step_operator();
  void step_word();
  bool take_bracket();
  void skip_test();
  void remember_test(std::string_view test);
  bool at_assignment() const;
  void take_assignment();
  bool take_keyword(const std::string& word);
  void take_case_pattern();
  void open(Block block);
  void close(Block block);
  void stop_seeing_assignments();
  void begin_at(std::size_t at);
  void end_at(std::size_t at);
  void separate(Joint next, std::string_view sign);

  // shell_redirections.cpp: what stands beside the words
  bool take_redirection();
  bool take_process_substitution();
  std::string redirection_sign() const;
  void take_target(std::string sign);
  void take_here_documents();

  // shell_commands.cpp: what a command that was read does
  void finish();
  void assign(bool exported);
  bool run_builtin();
  void run_declaration();
  void run_set();
  void set_positional(std::size_t first);
  bool run_nested();
  enum class Variables { Shared, Forgotten };
  bool run_text(std::size_t first, std::size_t last, Variables variables);
  ShellPart part_of(std::size_t first, std::size_t last, std::string_view joined,
                    std::size_t& begin) const;
  void emit();
  void add_environment(Command& command);
  void add_to_pipeline(const Command& command);
  int line_of(std::size_t at);
  bool declares() const;

  ShellContext& context_;
  const ShellPart& part_;
  ShellCursor cursor_;
  ShellWordReader words_;
  std::vector<Setting> inherited_;  // of the command that runs this text
  PendingCommand pending_;
  std::vector<Block> blocks_;
  std::vector<std::pair<std::string, bool>> here_documents_;  // delimiter, tabs are stripped
  std::vector<std::string> tested_empty_,
      tested_filled_;  // by the last [ -z "$X" ] and [ -n "$X" ]
  Joint joint_ = Joint::None;
  bool expects_pattern_ = false;
  int braces_ = 0;                 // open { of groups and functions
  std::size_t pipeline_head_ = 0;  // index in context_.out.commands
  bool in_pipeline_ = false;
  std::size_t blank_ = 0;  // bytes of blanks before what comes next
  int line_ = 1;
  std::size_t line_at_ = 0;
};

}  // namespace sx
