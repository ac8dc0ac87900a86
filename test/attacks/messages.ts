import { Attack } from "./attack";

export const messages: readonly Attack[] = [
  {
    attack: "A token in `tokenEnv`",
    result: "it is not printed",
    proofs: [["provider/connection/connection", "does not print a tokenEnv that contains the token itself: %s"]],
    mutants: ["a token given in tokenEnv instead of a variable's name is printed"],
  },
  {
    attack: "Credentials in an address",
    result: "they are refused, and not printed",
    proofs: [
      ["provider/secrets/scheduler-access", "credentials in %s appear in neither the state nor a message"],
      ["provider/lifecycle/check", "rejects an address with credentials and does not print them"],
    ],
    mutants: ["an address with credentials is accepted", "credentials in an address on the server are stored and printed"],
  },
  {
    attack: "A secret as the JSON, URL, form, HTML or base64 encoder of another language writes it",
    result: "it is not printed",
    proofs: [
      ["provider/http/redaction", "a secret is redacted in every encoding that a server may echo"],
      ["provider/http/redaction", "a secret is redacted as %s writes it"],
      ["provider/http/redaction", "a secret is redacted inside the base64 of a longer string, after %p"],
    ],
  },
  {
    attack: "A short or oversized secret in a server's reason",
    result: "it is not printed",
    proofs: [
      ["provider/http/redaction", "a secret longer than a regular expression allows is redacted"],
      ["provider/http/redaction", "the truncated end of a reason holds no part of a secret"],
      ["provider/http/redaction", "hides the whole reason if it is a separate word, and does not redact parts of other words"],
    ],
    mutants: ["a short secret in a reason is printed"],
  },
  {
    attack: "Escape sequences in a server's message",
    result: "they do not reach the terminal",
    proofs: [
      ["provider/errors", "a message contains no control characters from any detail"],
      ["provider/log/log", "a printed line about a server contains no control characters"],
    ],
    mutants: ["a printed line contains escape sequences of a server"],
  },
  {
    attack: "A name, a mount or an id that the program marks as secret",
    result: "the check rejects it by name",
    proofs: [["secrecy-native", "$token: a secret that the id or messages would show is rejected by name, by both mechanisms"]],
  },
  {
    attack: "Native: a secret inside a map of a list, or one that a preview cannot know",
    result: "the whole list is a secret",
    proofs: [
      ["secrecy-native", "a value that the program marks as secret, also in lists and maps, is secret in each response"],
      ["secrecy-native", "a secret that is unknown in a preview stays a secret"],
    ],
  },
  {
    attack: "Native: the server echoes a value that only the program marks as secret",
    result: "it is not printed",
    proofs: [["secrecy-native", "a value that the program marks as secret, also in lists and maps, is secret in each response"]],
    mutants: ["native: an error shows a value that only the program marks as secret"],
  },
  {
    attack: "Dynamic: the server echoes a value that only the program marks as secret",
    result: "it is not printed",
    proofs: [["secrecy", "$token shows no value in an error that only the program marks as secret"]],
  },
];
