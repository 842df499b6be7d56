// Package rawjson is the only package that knows how JSON is read. It decodes a record into raw fields that alias the record,
// takes apart values that were validated once, and appends, escapes and unescapes strings. JSON is that of RFC 8259.
//
// A decoder of a dialect declares the members it wants as a struct of [Value] fields and nested structs. [Decoder.Decode]
// validates the whole record in one pass and keeps the wanted texts. What it returns can be passed on as it is: strings stay
// escaped, numbers keep their spelling, and nothing that follows has to validate again.
//
// The scanner is our own, one for all systems. Nanoseconds per record, best of 8, on amd64, all three with 0 allocations:
//
//	                          length   rawjson     sonic   json.Valid
//	TEXT_MESSAGE_CONTENT          67       107       150          241
//	agent_message_chunk          112       171       262          394
//	the same, Chinese            124       182       306          425
//	code in a string            1 KB       784       346         3376
//	code in a string            4 KB      2591       637        12493
//	Chinese in a string         4 KB      1212      1123        10430
//	tool call with 54 objects   4 KB      4096      5225        13279
//
//	go test -run '^$' -bench 'BenchmarkDecode|BenchmarkSonic|BenchmarkStandardValid' -count 8 ./adapters/internal/rawjson
//
// Sonic stands for its reused decoder over fields that it does not copy, with all of its checks on and UTF-8 checked before.
// It is ahead on long strings, but what it accepts is not always JSON: away from the end of the text it lets pass escapes that
// do not exist (\q, \u12g4), it repairs bad UTF-8 in a copy instead of refusing it, its limit of depth cannot be set, its first
// use of a schema takes milliseconds, and on arm64 it allocates. What passes raw has to be right for every reader behind us,
// and streams are made of small records; so sonic checks UTF-8, which it does ten times as fast as the standard library on text
// that is not ASCII, and judges the scanner in tests. Where sonic has no native code, or with the build tag sabir_portable, the
// standard library checks UTF-8, and nothing else changes.
//
// Files: rawjson.go the decoder; schema.go what a struct asks for; scan.go and token.go the validating pass; value.go, number.go
// and equal.go readers of valid values; string.go escapes; compact.go and harmless.go rewriting.
package rawjson
