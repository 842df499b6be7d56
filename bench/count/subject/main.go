// Command subject is what bench/count runs under Valgrind: it translates deltas and requests in memory, and calls mark in
// between, so that Valgrind can tell what each measurement has cost.
//
//	subject 200 evolve/agui/text agui/aisdk/args anthropic/gemini/request
//
// Each name is measured over 200 deltas, or kilobytes of requests, and over 400; see bench/count.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
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

// work is what a measurement measures: n units of something, once or twice.
type work func(times int) error

// measure does n units to warm up, so that what grows has its room. Then, in each round, it does n units, and 2n units, with a
// mark before each and one at the end.
func measure(name string, n int) error {
	do, err := prepare(name, n)
	if err != nil {
		return err
	}
	if err := feed(do, 1); err != nil {
		return err
	}
	for range rounds {
		mark()
		err1 := feed(do, 1)
		mark()
		if err := errors.Join(err1, feed(do, 2)); err != nil {
			return err
		}
	}
	mark()
	return nil
}

// feed is what bench/count shows the functions of.
//
//go:noinline
func feed(do work, times int) error { return do(times) }

func prepare(name string, n int) (work, error) {
	names := strings.Split(name, "/")
	if len(names) != 3 {
		return nil, fmt.Errorf("want from/to/part")
	}
	from, err := adapters.Lookup(names[0])
	if err != nil {
		return nil, err
	}
	to, err := adapters.Lookup(names[1])
	if err != nil {
		return nil, err
	}
	switch kind, hostile := strings.CutPrefix(names[2], bench.HostilePart); {
	case hostile:
		return hostileWork(from, to, kind, n)
	case names[2] == bench.RequestPart:
		return requests(from, to, n)
	}
	return stream(from, to, bench.Part(names[2]), n)
}

// stream passes n deltas in the middle of an endless part, others each time: of deltas with ids, those that came before are dropped.
func stream(from, to *hub.Dialect, part bench.Part, n int) (work, error) {
	const all = 1 + rounds*(1+2) // as measure asks for them
	script, err := bench.NewLongScript(from, part, all*n+1)
	if err != nil {
		return nil, err
	}
	codec := engine.NewCodec(engine.Config{
		From: from, FromOptions: from.Defaults(), To: to, ToOptions: to.Defaults(), EndGrace: from.EndGrace,
	}, wire.Auto)
	var blocks [][]byte
	for first := 1; first < all*n; first += n {
		blocks = append(blocks, block(script, first, n))
	}
	return func(times int) error {
		for _, b := range blocks[:times] {
			if err := pass(codec, b); err != nil {
				return err
			}
		}
		blocks = blocks[times:]
		return nil
	}, pass(codec, append(script.Head, script.Deltas[0]...))
}

// requestSize is that of a chat, in bytes.
const requestSize = 20_000

// requests translates n kilobytes of requests.
func requests(from, to *hub.Dialect, n int) (work, error) {
	body, err := bench.HistoryOf(from, requestSize)
	if err != nil {
		return nil, err
	}
	count := (n*1000 + len(body)/2) / len(body)
	return func(times int) error {
		for range count * times {
			if _, err := bench.Translate(from, to, body); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// hostileWork does what is hostile with n things, or [bench.HostileTimes] as many.
func hostileWork(from, to *hub.Dialect, kind string, n int) (work, error) {
	var pieces [2]func() error
	for i, things := range []int{n, bench.HostileTimes * n} {
		do, err := bench.HostileWork(from, to, kind, things)
		if err != nil {
			return nil, err
		}
		pieces[i] = do
	}
	return func(times int) error { return pieces[times-1]() }, nil
}

// block returns the deltas from number first on, as they come in one read.
func block(s *bench.Script, first, n int) (all []byte) {
	for _, d := range s.Deltas[first : first+n] {
		all = append(all, d...)
	}
	return all
}

// pass passes whole records and throws the output away.
func pass(codec *engine.Codec, p []byte) error {
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
