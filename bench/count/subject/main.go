// Command subject is what bench/count runs under Valgrind: it translates deltas in memory, and calls mark in between, so
// that Valgrind can tell what each measurement has cost.
//
//	subject 200 evolve/agui/text agui/aisdk/args
//
// Each name is measured over 200 deltas and over 400; see bench/count.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/bench"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// Valgrind counts each thread alone. Those of the runtime of Go do not matter.
func init() { runtime.LockOSThread() }

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("want a number of deltas and names such as evolve/agui/text")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 {
		return fmt.Errorf("want a number of deltas, not %q", args[0])
	}
	for _, name := range args[1:] {
		if err := measure(name, n); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// rounds is how often each name is measured: now and then the scheduler of Go comes in between.
const rounds = 2

// measure passes n deltas to warm up. Then, in each round, it passes n deltas, and 2n deltas, with a mark before each and
// one at the end.
func measure(name string, n int) error {
	codec, script, err := prepare(name, n)
	if err != nil {
		return err
	}
	once := block(script, 1, n)
	twice := append(block(script, 1, n), once...)
	if err := feed(codec, append(script.Head, script.Deltas[0]...)); err != nil {
		return err
	}
	// What grows, such as the arguments of a call, has its room before it is measured.
	if err := feed(codec, block(script, 1, n)); err != nil {
		return err
	}
	for range rounds {
		mark()
		err1 := feed(codec, once)
		mark()
		if err := errors.Join(err1, feed(codec, twice)); err != nil {
			return err
		}
	}
	mark()
	return nil
}

func prepare(name string, n int) (*engine.Codec, *bench.Script, error) {
	names := strings.Split(name, "/")
	if len(names) != 3 {
		return nil, nil, fmt.Errorf("want from/to/part")
	}
	from, err := adapters.Lookup(names[0])
	if err != nil {
		return nil, nil, err
	}
	to, err := adapters.Lookup(names[1])
	if err != nil {
		return nil, nil, err
	}
	script, err := bench.NewLongScript(from, bench.Part(names[2]), n+1)
	codec := engine.NewCodec(engine.Config{
		From: from, FromOptions: from.Defaults(), To: to, ToOptions: to.Defaults(), EndGrace: from.EndGrace,
	}, wire.Auto)
	return codec, script, err
}

// block returns the deltas from number first on, as they come in one read.
func block(s *bench.Script, first, n int) (all []byte) {
	for _, d := range s.Deltas[first : first+n] {
		all = append(all, d...)
	}
	return all
}

// feed passes whole records and throws the output away.
func feed(codec *engine.Codec, p []byte) error {
	for len(p) > 0 {
		used, err := codec.Feed(p, false)
		if err != nil || used == 0 {
			return fmt.Errorf("the codec stops with %w before %.80q", err, p)
		}
		p = p[used:]
		codec.Take()
	}
	return nil
}

// mark is where Valgrind writes down what it has counted, and begins anew.
//
//go:noinline
func mark() {}
