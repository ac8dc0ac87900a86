/**
 * The grammar of filter expressions, for the parser generator. `&{…}` after a mistake notes what it is: a note is the whole answer,
 * even where another reading of the text succeeds, which is how the real product reads.
 */
export const grammar: string = String.raw`
Input
  = _? "(" _? expression:Or _? ")" _? End { return expression; }
  / _? expression:Or _? End { return expression; }

Or
  = left:And _ "or" _ right:Or { return { kind: "or", left, right }; }
  / And
  / Collection

And
  = left:Not _ "and" _ right:And { return { kind: "and", left, right }; }
  / Not

Not
  = "not" _ operand:Not { return { kind: "not", operand }; }
  / Grouping

Collection
  = operator:("any" _ { return "any"; } / "all" _ { return "all"; }) selector:Selector _ "as" _ names:Names _? "{" _? inner:Or _? "}"
    { return { kind: "collection", operator, selector, names, inner }; }

Names
  = index:Identifier _? "," _? value:Identifier { return { index, value }; }
  / index:Identifier _? "," _? "_" { return { index }; }
  / "_" _? "," _? value:Identifier { return { value }; }
  / both:Identifier { return { both }; }

Grouping
  = "(" _? expression:Or _? ")" { return expression; }
  / Match
  / "(" _? Or _? !")" &{ return note("grouping", "Unmatched parentheses"); }

Match
  = selector:Selector operator:Compares value:Value { return { kind: "match", selector, value, ...operator }; }
  / selector:Selector operator:Emptiness { return { kind: "match", selector, value: "", ...operator }; }
  / value:Value operator:Within selector:Selector { return { kind: "match", selector, value, ...operator }; }
  / Value Within !Selector &{ return note("match", "Invalid selector"); }

Compares
  = _? "==" _? { return { operator: "equal", negated: false }; }
  / _? "!=" _? { return { operator: "equal", negated: true }; }
  / _ "contains" _ { return { operator: "in", negated: false }; }
  / _ "not" _ "contains" _ { return { operator: "in", negated: true }; }
  / _ "matches" _ { return { operator: "matches", negated: false }; }
  / _ "not" _ "matches" _ { return { operator: "matches", negated: true }; }

Emptiness
  = _ "is" _ "empty" { return { operator: "empty", negated: false }; }
  / _ "is" _ "not" _ "empty" { return { operator: "empty", negated: true }; }

Within
  = _ "in" _ { return { operator: "in", negated: false }; }
  / _ "not" _ "in" _ { return { operator: "in", negated: true }; }

Selector
  = first:Identifier rest:Step* { return { path: [first, ...rest], text: [first, ...rest].join(".") }; }
  / '"' segments:Segment* '"' { return { path: segments.map(unescape), text: segments.map(unescape).join("/") }; }

Segment = "/" name:$[\p{L}\p{N}\-_.~:|]+ { return name; }

Identifier = $([a-zA-Z] [a-zA-Z0-9_/]*)

Step
  = "." name:Identifier { return name; }
  / Index
  / "." number:$[0-9]+ { return number; }

Index
  = "[" _? key:Text _? "]" { return key; }
  / "[" _? !Text &{ return note("index", "Invalid index"); }
  / "[" _? Text _? !"]" &{ return note("index", "Unclosed index expression"); }

Value
  = selector:Selector { return selector.text; }
  / Number
  / Text

Number
  = number:$("-"? Digits) &(_ / End / ")") { return number; }
  / "-"? Digits !(_ / End / ")") &{ return note("number", "Invalid number literal"); }

Digits = ("0" / [1-9] [0-9]*) ("." [0-9]+)?

Text
  = quoted:$('§' [^§\uFFFF]* '§' / '"' [^"\uFFFF]* '"') { return unquoted(quoted); }
  / ('§' [^§\uFFFF]* / '"' [^"\uFFFF]*) End &{ return note("string", "Unterminated string literal"); }

// The generator says nothing of an end that it expected and did not find; of a letter it does.
End = "\uFFFF"

_ = [ \t\r\n]+ / &{ return needsNoBlank(); }
`.replaceAll("§", "`");
