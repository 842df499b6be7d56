// Package declared makes dialects of descriptions in YAML, for event formats that are too much one's own to be worth Go code.
// The manual of the language is docs/declared-dialects.md; examples/dialects/homemade.yaml introduces it step by step.
//
// [Parse] compiles a document into tables once. A decoder looks up the rules of a record by its type, and goes through the
// record once, by a [plan] of all paths that any rule names. An encoder writes the pieces of a template between the fields of an
// event. Neither allocates for text deltas; see BenchmarkAgentEvent.
package declared
