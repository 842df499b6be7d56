// Package bench measures Sabir: the codec in memory, pair by pair and stage by stage, and the whole proxy over the
// loopback interface (see bench/loopback).
//
//	go test -run '^$' -bench Pair  ./bench     every pair of dialects
//	go test -run '^$' -bench Shape ./bench     streams as servers really write them
//	go test -run '^$' -bench Stage ./bench     split, decode, sequence, encode, each alone
//	go run ./bench/count                       instructions per delta, against the last accepted (see bench/count)
//	go run ./bench/loopback -short             the whole proxy, in a few minutes
//
// testdata/baseline.txt holds what the text deltas of the core pairs have cost. On the same machine, a change is held
// against it by
//
//	core='(acp|agentevent|agui|aisdk|anthropic|evolve|openai-chat|openai-responses)'
//	go test -run '^$' -bench "Pair/$core/$core/deltas" -benchtime 300x -count 6 ./bench > new.txt
//	go run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da bench/testdata/baseline.txt new.txt
//
// Elsewhere, make both files there: one before the change, one after. cpu-ns/event is the figure to look at.
//
// Nothing here knows a dialect by name. The streams are canonical events, written in each dialect by its own encoder;
// a new dialect is measured as soon as it stands in the registry. That is the repeating form: each delta is the record before with
// another text. testdata/shapes has what servers write, one file a shape, see [Shapes].
package bench
