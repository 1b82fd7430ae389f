#include "core/error.hpp"

namespace npuprof {

std::string_view to_string(Who who) {
  switch (who) {
    case Who::agent:
      return "agent";
    case Who::user:
      return "user";
    case Who::administrator:
      return "administrator";
  }
  return "user";
}

void to_json(Json& out, const Error& error) {
  out = {{"code", error.code},
         {"message", error.message},
         {"remedy", error.remedy},
         {"who", to_string(error.who)},
         {"retryable", error.retryable}};
  if (!error.details.is_null()) out["details"] = error.details;
}

void from_json(const Json& in, Error& error) {
  error.code = in.at("code").get<std::string>();
  error.message = in.at("message").get<std::string>();
  error.remedy = in.value("remedy", "");
  error.retryable = in.value("retryable", false);
  error.details = in.value("details", Json());
  const auto who = in.value("who", "user");
  error.who = who == "agent" ? Who::agent : who == "administrator" ? Who::administrator : Who::user;
}

}  // namespace npuprof
