package main

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/bench"
)

// core are the dialects that are measured with each other. Each of the others is read for AG-UI and written from evolve
// (reasoning and arguments also from AG-UI: evolve does not write arguments in pieces).
var core = []string{"acp", "agentevent", "agui", "aisdk", "anthropic", "evolve", "openai-chat", "openai-responses"}

// plan lists the measurements.
func plan() (names []string) {
	for _, from := range adapters.All() {
		for _, p := range bench.Parts() {
			if _, err := bench.NewLongScript(from, p, 2); err != nil {
				continue // the dialect does not write such deltas
			}
			for _, to := range adapters.All() {
				if to.NewEncoder != nil && from.NewDecoder != nil && measured(from, to) {
					names = append(names, from.Name+"/"+to.Name+"/"+string(p))
				}
			}
		}
	}
	names = append(names, shapes()...)
	for _, pair := range bench.RequestPairs() {
		if pair[0].Name == middle || pair[1].Name == middle {
			names = append(names, pair[0].Name+"/"+pair[1].Name+"/"+bench.RequestPart)
		}
	}
	return names
}

// shapes lists those of streams as servers really write them: each to a dialect that takes parts side by side, to one that
// takes them one after the other, and copied.
func shapes() (names []string) {
	for _, from := range adapters.All() {
		targets := []string{"agui", "anthropic", from.Name}
		if from.NewEncoder == nil {
			targets = targets[:2]
		}
		slices.Sort(targets)
		for _, p := range bench.Shapes(from) {
			for _, to := range slices.Compact(slices.Clone(targets)) {
				names = append(names, from.Name+"/"+to+"/"+string(p))
			}
		}
	}
	return names
}

// middle is the dialect on one side of each measurement of requests. Reading does not depend on who writes, so that this shows
// every reader and every writer.
const middle = "openai-chat"

func measured(from, to *hub.Dialect) bool {
	inCore := func(d *hub.Dialect) bool { return slices.Contains(core, d.Name) }
	return to.Name == "agui" || from.Name == "evolve" || from.Name == "agui" || inCore(from) && inCore(to)
}
