package bench

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// HostilePart is before the kind of what is hostile, in the place of a [Part].
const HostilePart = "hostile-"

// HostileTimes is how many times larger the second of two hostile inputs is, where their costs are compared.
const HostileTimes = 8

// The dialects that are read for all others, and that all others are read for.
const (
	hostileFrom = "agui"
	hostileTo   = "openai-chat"
)

// runPart is before the kind of a run.
const runPart = "run-"

// HostilePairs are the pairs that hostile requests are translated between: from each dialect, and to each. What reads does not know who
// writes, so that the others show nothing more.
func HostilePairs() [][2]*hub.Dialect {
	return slices.DeleteFunc(RequestPairs(), func(pair [2]*hub.Dialect) bool { return pair[0].Name != hostileFrom && pair[1].Name != hostileTo })
}

// HostileMeasurements lists what is hostile, as from/to/hostile-kind.
func HostileMeasurements() (names []string) {
	for _, kind := range slices.Sorted(maps.Keys(Hostile)) {
		for _, pair := range HostilePairs() {
			names = append(names, hostileName(pair[0], pair[1], dashed(kind)))
		}
	}
	for _, kind := range HostileRunKinds() {
		for _, pair := range HostileRunPairs() {
			names = append(names, hostileName(pair[0], pair[1], kind))
		}
	}
	return names
}

// HostileRunKinds are the kinds of hostile runs, as [HostileWork] has them.
func HostileRunKinds() (kinds []string) {
	for _, kind := range slices.Sorted(maps.Keys(HostileStreams)) {
		kinds = append(kinds, runPart+dashed(kind))
	}
	return kinds
}

// HostileRunPairs are the pairs that hostile runs are translated between: from each dialect, and to each.
func HostileRunPairs() (pairs [][2]*hub.Dialect) {
	for _, from := range adapters.All() {
		for _, to := range adapters.All() {
			both := from.NewDecoder != nil && from.NewEncoder != nil && to.NewEncoder != nil && from != to
			if both && (from.Name == hostileFrom || to.Name == hostileFrom) {
				pairs = append(pairs, [2]*hub.Dialect{from, to})
			}
		}
	}
	return pairs
}

func hostileName(from, to *hub.Dialect, kind string) string {
	return from.Name + "/" + to.Name + "/" + HostilePart + kind
}

// dashed is a kind as a word.
func dashed(kind string) string { return strings.NewReplacer(" ", "-", ",", "").Replace(kind) }

// HostileWork returns what translates n things of a kind, written with dashes, from one dialect to another.
func HostileWork(from, to *hub.Dialect, kind string, n int) (func() error, error) {
	if run, isRun := strings.CutPrefix(kind, runPart); isRun {
		for name := range HostileStreams {
			if dashed(name) == run {
				return hostileRunWork(from, to, HostileRun(name, n)), nil
			}
		}
	}
	for name := range Hostile {
		if dashed(name) != kind {
			continue
		}
		body, err := HostileRequest(name, from, n)
		return func() error {
			_, _ = Translate(from, to, body) // some are refused, which is an answer
			return nil
		}, err
	}
	return nil, fmt.Errorf("no kind %s of what is hostile", kind)
}

// hostileRunWork passes a run through the engine, and keeps it as a conversation.
func hostileRunWork(from, to *hub.Dialect, evs []hub.Event) func() error {
	body := bytes.Join(Encode(from, evs), nil)
	return func() error {
		if err := pass(from, to, body); err != nil {
			return err
		}
		seq, folder := sequencer.New(sequencer.Config{}), conversation.NewFolder(nil)
		var strict []hub.Event
		for i := range evs {
			strict = seq.Push(strict[:0], evs[i:i+1], 0)
			for j := range strict {
				folder.Add(&strict[j])
			}
		}
		folder.Run()
		return nil
	}
}

// pass passes a stream through the engine.
func pass(from, to *hub.Dialect, body []byte) error {
	codec := engine.NewCodec(engine.Config{
		From: from, FromOptions: from.Defaults(), To: to, ToOptions: to.Defaults(), EndGrace: from.EndGrace,
	}, wire.Auto)
	for len(body) > 0 {
		used, err := codec.Feed(body, true)
		if err != nil {
			return err
		}
		if used == 0 {
			break // the run has ended
		}
		body = body[used:]
		codec.Take()
	}
	_ = codec.Finish(nil) // how the run ended is an answer
	codec.Take()
	return nil
}
