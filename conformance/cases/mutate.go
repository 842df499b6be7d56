package main

import (
	"math/rand/v2"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// A mutation damages a stream as networks, races and careless servers do.
type mutation struct {
	name  string
	apply func(*rand.Rand, []hub.Event) []hub.Event
}

// mutations are what mutate chooses from. Every one takes and returns a slice that is not empty.
var mutations = []mutation{
	{"swap", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		i, j := r.IntN(len(evs)), r.IntN(len(evs))
		evs[i], evs[j] = evs[j], evs[i]
		return evs
	}},
	{"move", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		i := r.IntN(len(evs))
		ev := evs[i]
		evs = slices.Delete(evs, i, i+1)
		return slices.Insert(evs, r.IntN(len(evs)+1), ev)
	}},
	{"lose", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		if len(evs) == 1 {
			return evs
		}
		i := r.IntN(len(evs))
		return slices.Delete(evs, i, i+1)
	}},
	{"repeat", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		i := r.IntN(len(evs))
		return slices.Insert(evs, i, evs[i])
	}},
	{"cut", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		return evs[:1+r.IntN(len(evs))]
	}},
	{"orphan", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		return slices.Insert(evs, r.IntN(len(evs)+1), orphans[r.IntN(len(orphans))])
	}},
}

// orphans are about things that never began.
var orphans = []hub.Event{
	{Kind: hub.ToolUpdate, ID: []byte("orphan"), Text: []byte("still there")},
	{Kind: hub.ToolOutput, ID: []byte("orphan"), Chan: hub.Stdout, Text: []byte("out")},
	{Kind: hub.ToolEnd, ID: []byte("orphan"), Status: hub.StatusOK, Text: []byte("done")},
	{Kind: hub.TextEnd, ID: []byte("orphan")},
	{Kind: hub.AgentEnd, ID: []byte("orphan"), Status: hub.StatusOK},
	{Kind: hub.StepEnd, ID: []byte("orphan")},
	{Kind: hub.TextDelta, ID: []byte("orphan"), Text: []byte("from nowhere")},
}

func newRand(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 0)) }

// mutate applies one to four mutations to a copy of evs, and says which.
func mutate(r *rand.Rand, evs []hub.Event) (out []hub.Event, how string) {
	out = slices.Clone(evs)
	for range 1 + r.IntN(4) {
		if len(out) == 0 {
			break
		}
		m := mutations[r.IntN(len(mutations))]
		out = m.apply(r, out)
		how += m.name + " "
	}
	return out, how
}
