// Cases prints what real clients are to judge: for every fixture of every dialect, and for damaged copies of them, the
// stream as Sabir encodes it for a target dialect, and what a reader must understand of it. One JSON object a line.
//
//	go run ./conformance/cases [-target agui] [-mutations 300] > cases.jsonl
//
// Nothing here decides by reading the encoder's output: the meaning is taken from the canonical events.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Case is one stream for a client.
type Case struct {
	Name    string   `json:"name"`
	Target  string   `json:"target"` // dialect of the body
	Body    string   `json:"body"`
	Binary  []byte   `json:"binary,omitempty"` // the body, where it is no text; base64 in JSON
	Type    string   `json:"type"`             // content type of the body
	Meaning *Meaning `json:"meaning"`

	// Mutated streams were damaged on purpose: what patches apply to may be gone.
	Mutated bool `json:"mutated,omitempty"`
	// Flat streams show sub-agents in another form.
	Flat bool `json:"flat,omitempty"`
	// Version is for which of the clients the stream is, in dialects that differ by their versions.
	Version string `json:"version,omitempty"`
	// Binding is how the dialect is bound to HTTP, where it can be in several ways.
	Binding string `json:"binding,omitempty"`
	// Options are those that the fixture has for its own dialect.
	Options map[string]string `json:"options,omitempty"`
	// Control streams are wrong on purpose: a client that takes no offence, and is not misled, is no judge.
	Control bool `json:"control,omitempty"`

	// refused streams fail before anything was written: a proxy answers them with a status, not with a body.
	refused bool

	// From is the stream as the upstream sends it, for runs through a proxy; only of fixtures with a wire.
	From *Upstream `json:"from,omitempty"`
}

// Upstream is the answer of an agent server.
type Upstream struct {
	Dialect string            `json:"dialect"`
	Options map[string]string `json:"options,omitempty"` // of the dialect, as the upstream must have them
	Framing string            `json:"framing"`
	Settle  string            `json:"settle"`
	Type    string            `json:"type"`
	Wire    []byte            `json:"wire"` // base64 in JSON
}

func main() {
	targets := flag.String("target", strings.Join(slices.Sorted(maps.Keys(controls)), ","), "dialects to encode, separated by commas")
	mutations := flag.Int("mutations", 300, "damaged streams per target")
	root := flag.String("root", ".", "the repository")
	extension := flag.Bool("extension", false, "each stream again with all canonical events in the extension place, if the target has one")
	flag.Parse()
	if err := run(*root, strings.Split(*targets, ","), *mutations, *extension); err != nil {
		fmt.Fprintln(os.Stderr, "cannot make the cases:", err)
		os.Exit(1)
	}
}

func run(root string, targets []string, mutations int, extension bool) error {
	fixtures, err := load(root)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(os.Stdout)
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for _, name := range targets {
		target, err := adapters.Lookup(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		cases := casesFor(target, fixtures, mutations)
		if extension && target.Extension != nil {
			cases = append(cases, extendedCases(target, fixtures)...)
		}
		for _, c := range cases {
			if err := out.Encode(c); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// casesFor makes the cases of one target: each fixture as it is, in the variants of the target that fit, and damaged.
func casesFor(target *hub.Dialect, fixtures []*fixture, mutations int) (all []*Case) {
	for _, f := range fixtures {
		options := target.Defaults()
		if f.Dialect == target {
			options = f.Options
		}
		c := encode(target, options, f.Name, f.Settle, f.loose, f.cause)
		if !c.refused {
			c.From = f.upstream()
		}
		if f.Dialect == target {
			c.Options = f.Given
		}
		all = append(all, c)
		all = append(all, otherVersions(target, f, c)...)
		all = append(all, otherBindings(target, f, c)...)
		if len(c.Meaning.Agents) > 0 && !c.Flat && hasFlat(target) {
			options, _ := target.ParseOptions(map[string]any{flatOption: flatValue})
			all = append(all, encode(target, options, f.Name+" (flat)", f.Settle, f.loose, f.cause))
		}
	}
	for seed := range mutations {
		f := fixtures[seed%len(fixtures)]
		loose, how := mutate(newRand(seed), f.loose)
		c := encode(target, target.Defaults(), fmt.Sprintf("%s, damaged: %s(seed %d)", f.Name, how, seed), f.Settle, loose, f.cause)
		c.Mutated = true
		all = append(all, c)
		if upwards[target.Name] {
			all = append(all, damagedForEarlier(target, f, c, loose)...)
		}
	}
	return append(all, controls[target.Name]...)
}

// damagedForEarlier is a damaged stream as the clients of the first version get it, if that differs.
func damagedForEarlier(target *hub.Dialect, f *fixture, c *Case, loose []hub.Event) []*Case {
	i := slices.IndexFunc(target.Options, func(o hub.OptionSpec) bool { return o.Name == versionOption })
	first := target.Options[i].Values[0]
	options, _ := target.ParseOptions(map[string]any{versionOption: first})
	other := encode(target, options, c.Name+" (version "+first+")", f.Settle, loose, f.cause)
	if other.Body == c.Body {
		c.Version = first
		return nil
	}
	other.Mutated = true
	return []*Case{other}
}

// Some targets can do without sub-agents, for clients that do not know them.
const (
	flatOption = "subagents"
	flatValue  = "flat"
)

func hasFlat(target *hub.Dialect) bool {
	return slices.ContainsFunc(target.Options, func(o hub.OptionSpec) bool {
		return o.Name == flatOption && slices.Contains(o.Values, flatValue)
	})
}

// versionOption says for which version of its clients a target writes.
const versionOption = "version"

// upwards are the targets whose clients read what is written for those of earlier versions.
var upwards = map[string]bool{"aisdk": true}

// otherVersions are the streams that clients of other versions than the default get, where they differ from c. One that is
// the same for an earlier version becomes a case of that one, if later clients read it too.
func otherVersions(target *hub.Dialect, f *fixture, c *Case) (all []*Case) {
	if c.Version == "" {
		return nil
	}
	i := slices.IndexFunc(target.Options, func(o hub.OptionSpec) bool { return o.Name == versionOption })
	for _, version := range target.Options[i].Values {
		options, _ := target.ParseOptions(map[string]any{versionOption: version})
		other := encode(target, options, f.Name+" (version "+version+")", f.Settle, f.loose, f.cause)
		switch {
		case version == c.Version:
		case other.Body != c.Body:
			other.From = c.From
			all = append(all, other)
		case upwards[target.Name] && version < c.Version:
			c.Version = version
		}
	}
	return all
}

// bindingOption says how a target is bound to HTTP; plainBinding is without an envelope.
const (
	bindingOption = "binding"
	plainBinding  = "rest"
)

// otherBindings are the streams that clients of all versions get by the other binding.
func otherBindings(target *hub.Dialect, f *fixture, c *Case) (all []*Case) {
	if c.Binding == "" || c.Binding == plainBinding {
		return nil
	}
	i := slices.IndexFunc(target.Options, func(o hub.OptionSpec) bool { return o.Name == versionOption })
	for _, version := range target.Options[i].Values[1:] {
		options, _ := target.ParseOptions(map[string]any{versionOption: version, bindingOption: plainBinding})
		all = append(all, encode(target, options, f.Name+" ("+plainBinding+", version "+version+")", f.Settle, f.loose, f.cause))
	}
	return all
}

// bindingOf is the binding that options are for, "" where there is only one.
func bindingOf(target *hub.Dialect, options hub.Options) string {
	for _, o := range target.Options {
		if o.Name == bindingOption && o.Encode && o.Type == hub.OptionEnum {
			return options.Enum(bindingOption)
		}
	}
	return ""
}

// versionOf is the version of the clients that options are for, "" where there is only one.
func versionOf(target *hub.Dialect, options hub.Options) string {
	for _, o := range target.Options {
		if o.Name == versionOption && o.Encode && o.Type == hub.OptionEnum {
			return options.Enum(versionOption)
		}
	}
	return ""
}

// extendedCases are the streams that carry their canonical events along, where clients must not see them.
func extendedCases(target *hub.Dialect, fixtures []*fixture) (all []*Case) {
	for _, f := range fixtures {
		settings := policy.Settings{Extension: true}
		all = append(all, encodeWith(settings, target, target.Defaults(), f.Name+" (extension)", f.Settle, f.loose, f.cause))
	}
	return all
}

// encode takes decoded events through the sequencer and the encoder.
func encode(target *hub.Dialect, options hub.Options, name string, settle time.Duration, loose []hub.Event, cause error) *Case {
	return encodeWith(policy.Settings{}, target, options, name, settle, loose, cause)
}

// encodeWith is encode for a route with settings.
func encodeWith(
	settings policy.Settings, target *hub.Dialect, options hub.Options, name string, settle time.Duration, loose []hub.Event, cause error,
) *Case {
	seq := sequencer.New(sequencer.Config{EndGrace: settle, Replace: target.Caps.Has(hub.CapReplace)})
	m := newMeaning()
	treated := false
	settings.Folded, settings.Instead = m.event, func(*hub.Event, hub.Policy) { treated = true }
	enc, out := policy.NewEncoder(target, options, settings), wire.NewOut(target.Framing)
	if target.Name == "aisdk" || target.Name == "datastream" { // whose clients reject a result of a call that they do not have
		enc.(hub.Answerer).Answer(&hub.Request{History: hub.History{Known: true}})
	}
	stages := policy.Stages(target, settings, nil)
	take := func(strict []hub.Event) {
		for _, stage := range stages {
			strict = stage.Push(nil, strict, 0)
		}
		for i := range strict {
			m.event(&strict[i])
			treated = false
			if disposition := enc.Encode(out, &strict[i]); treated || disposition == hub.Dropped {
				m.withdraw(&strict[i])
			}
		}
	}
	for i := range loose {
		take(seq.Push(nil, loose[i:i+1], 0))
	}
	begun := len(out.Buf) > 0
	take(seq.Flush(nil, cause))
	enc.Finish(out)
	body, binary := string(out.Buf), []byte(nil)
	if target.Framing == wire.AmazonEventStream {
		body, binary = "", out.Buf
	}
	return &Case{
		Name: name, Target: target.Name, Body: body, Binary: binary, Type: contentType(target), Meaning: m,
		Flat: hasFlat(target) && options.Enum(flatOption) == flatValue, Version: versionOf(target, options), Binding: bindingOf(target, options),
		refused: !begun && m.End == "error",
	}
}

// contentType is that of the answer of a proxy.
func contentType(target *hub.Dialect) string {
	if target.ContentType != "" {
		return target.ContentType
	}
	return target.Framing.ContentType()
}
