#include "evidence/communication.hpp"

#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "evidence/json_text.hpp"

namespace npuprof::evidence {
namespace {

constexpr std::size_t max_steps = 10'000;

// step -> "p2p" | "collective" -> operation -> "Communication Time Info" -> figure; read without
// building the document.
class Walker : public nlohmann::json_sax<Json> {
 public:
  explicit Walker(CommunicationFacts& facts) : facts_(facts) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override {
    return figure(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return figure(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return figure(value); }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override {
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool start_object(std::size_t) override {
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }

  bool key(string_t& name) override {
    if (depth_ == 1 && facts_.steps.size() < max_steps) facts_.steps.insert(name.substr(0, 100));
    if (depth_ == 3) {
      total_ = name.starts_with("Total Op Info") || name.starts_with("total@");
      total_ ? ++facts_.totals : ++facts_.operations;
    }
    elapsed_ = depth_ == 5 && name == "Elapse Time(ms)";
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
    facts_.problem = std::string(e.what()).substr(0, 200);
    return false;
  }

 private:
  bool figure(double value) {
    if (elapsed_ && !total_ && depth_ == 5) facts_.elapsed_ms += value;
    return true;
  }

  CommunicationFacts& facts_;
  int depth_ = 0;
  bool total_ = false;
  bool elapsed_ = false;
};

}  // namespace

CommunicationFacts read_communication(std::string_view text) {
  CommunicationFacts facts;
  Walker walker(facts);
  const std::string_view json = without_bom(text);
  facts.whole = Json::sax_parse(json.begin(), json.end(), &walker);
  return facts;
}

}  // namespace npuprof::evidence
