package langgraph

import (
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// channel is a set of the kinds of events that clients of the thread protocol subscribe to.
type channel uint8

const (
	channelLifecycle channel = 1 << iota
	channelInput
	channelMessages
	channelTools
	channelValues
	channelCustom
)

var channelNames = map[string]channel{
	"lifecycle": channelLifecycle, "input": channelInput, "messages": channelMessages, "tools": channelTools, "values": channelValues,
	"custom": channelCustom,
}

// subscription is what a client wants of a thread.
type subscription struct {
	channels   channel
	namespaces [][]string // prefixes; nil for all
	depth      int        // so many parts below a prefix at most; negative for any
	since      int64      // it has the events up to this number
}

// readSubscription reads the body of a request for events.
func readSubscription(v rawjson.Value) subscription {
	s := subscription{depth: -1}
	for name := range rawjson.Each(rawjson.Get(v, "channels")) {
		plain, _, _ := strings.Cut(string(rawjson.Body(name)), ":") // custom:name is a part of custom
		s.channels |= channelNames[plain]
	}
	for prefix := range rawjson.Each(rawjson.Get(v, "namespaces")) {
		parts := []string{}
		for part := range rawjson.Each(prefix) {
			parts = append(parts, string(rawjson.AppendUnescaped(nil, rawjson.Body(part))))
		}
		s.namespaces = append(s.namespaces, parts)
	}
	if n, err := strconv.Atoi(string(rawjson.Get(v, "depth"))); err == nil && n >= 0 {
		s.depth = n
	}
	s.since, _ = strconv.ParseInt(string(rawjson.Get(v, "since")), 10, 64)
	return s
}

// has reports whether the client wants an event.
func (s *subscription) has(ch channel, l *protocolLane, seq int64) bool {
	if s.channels&ch == 0 || seq <= s.since {
		return false
	}
	if len(s.namespaces) == 0 {
		return true
	}
	for _, prefix := range s.namespaces {
		if isBelow(l.parts, prefix) && (s.depth < 0 || len(l.parts)-len(prefix) <= s.depth) {
			return true
		}
	}
	return false
}

// isBelow reports whether a namespace begins with a prefix. A part of that without an id stands for all of its name.
func isBelow(parts, prefix []string) bool {
	if len(prefix) > len(parts) {
		return false
	}
	for i, want := range prefix {
		name, _, _ := strings.Cut(parts[i], ":")
		if parts[i] != want && name != want {
			return false
		}
	}
	return true
}
