// Package bench measures Sabir: the codec in memory, pair by pair and stage by stage, and the whole proxy over the
// loopback interface (see bench/loopback).
//
//	go test -run '^$' -bench Pair  ./bench     every pair of dialects
//	go test -run '^$' -bench Stage ./bench     split, decode, sequence, encode, each alone
//	go run ./bench/loopback -short             the whole proxy, in less than a minute
//
// Nothing here knows a dialect by name. The streams are canonical events, written in each dialect by its own encoder;
// a new dialect is measured as soon as it stands in the registry.
package bench
