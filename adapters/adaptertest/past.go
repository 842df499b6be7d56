package adaptertest

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// PastCalls shows what a request tells of earlier calls: "id name args in MESSAGE asked ASK answered client dynamic; …".
func PastCalls(h *hub.History) string {
	var all []string
	for c := range h.Calls {
		words := []string{string(c.ID), string(c.Name)}
		add := func(word string, there bool) {
			if there {
				words = append(words, word)
			}
		}
		add(string(c.Args), c.Args != nil)
		add("in "+string(c.Msg), len(c.Msg) > 0)
		add("asked "+string(c.Ask), len(c.Ask) > 0)
		add("answered", c.Answered)
		add("client", c.ClientRuns)
		add("dynamic", c.Dynamic)
		all = append(all, strings.Join(words, " "))
	}
	return strings.Join(all, "; ")
}
