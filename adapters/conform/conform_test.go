package conform_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/conform"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// broken are the names of rules, once each.
type broken map[string]bool

func (b broken) add(v conform.Violation) { b[v.Rule.String()] = true }

func (b broken) String() string { return strings.Join(slices.Sorted(maps.Keys(b)), ", ") }

// streams are the recorded streams of a dialect.
func streams(t *testing.T, d *hub.Dialect) []*adaptertest.Stream {
	return adaptertest.Streams(t, d, filepath.Join("..", strings.ReplaceAll(d.Name, "-", ""), "testdata"))
}

// check reads a whole stream.
func check(cfg conform.Config, body []byte) {
	c := conform.New(cfg)
	var cause error
	if err := c.Feed(body, true); err != nil {
		cause = hub.Fail(hub.CodeMalformed, err)
	}
	c.Finish(cause)
}

// TestRecorded finds in each recorded stream the rules that it breaks, and none in those that stand not in the list. The list names
// every rule, or the test of small streams does.
func TestRecorded(t *testing.T) {
	var list strings.Builder
	found := broken{}
	for _, d := range adapters.All() {
		for _, s := range streams(t, d) {
			if s.Wire == nil {
				continue
			}
			of := broken{}
			check(conform.Config{Dialect: d, Options: s.Options, Framing: s.Framing, Report: of.add}, s.Wire)
			maps.Copy(found, of)
			if len(of) > 0 {
				fmt.Fprintf(&list, "%s: %s\n", s.Name, of)
			}
		}
	}
	adaptertest.Generated(t, "testdata/recorded.txt", list.String())
	for _, small := range smallStreams {
		found[small.rule.String()] = true
	}
	for _, r := range hub.Rules() {
		if !found[r.String()] {
			t.Errorf("no stream breaks %s", r)
		}
	}
}

// TestWritten lets each dialect read what its encoder makes of the recorded streams of all. What is passed on as the agent says it is
// the agent's; what else stands in the list comes of calls that the request would show, of runs that are nothing but an error, and of
// arguments that are no JSON, which calls in mastra leave out.
func TestWritten(t *testing.T) {
	var list strings.Builder
	for _, d := range adapters.All() {
		for _, s := range streams(t, d) {
			for _, target := range adapters.All() {
				if target.NewEncoder == nil || target.NewDecoder == nil {
					continue
				}
				if of := written(s.Translate(target, target.Defaults()), target); len(of) > 0 {
					fmt.Fprintf(&list, "%s in %s: %s\n", s.Name, target.Name, of)
				}
			}
		}
	}
	adaptertest.Generated(t, "testdata/written.txt", list.String())
}

func written(x *adaptertest.Translation, target *hub.Dialect) broken {
	of := broken{}
	c := conform.New(conform.Config{Dialect: target, Options: target.Defaults(), Report: func(v conform.Violation) {
		if !v.Rule.Passed() {
			of.add(v)
		}
	}})
	for _, rec := range x.Records {
		c.Record(rec)
	}
	c.Finish(nil)
	return of
}

// smallStreams break the rules that no recorded stream breaks, and show where.
var smallStreams = []struct {
	dialect string
	framing wire.Framing
	max     int
	wire    string
	rule    hub.Rule
	record  int64
	offset  int64
	path    string
}{
	{dialect: "agui", framing: wire.ContentLength, wire: "Length: 3\r\n\r\n{}\n", rule: hub.RuleFraming, record: 1, offset: 0},
	{dialect: "agui", framing: wire.SSE, max: 64, wire: "data: {\"type\":\"" + strings.Repeat("x", 80) + "\"}\n\n", rule: hub.RuleSize, record: 1, offset: 0},
	{dialect: "agui", framing: wire.SSE, wire: begun + "data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\"}\n\n", rule: hub.RuleMember, record: 2, offset: begunLen, path: "delta"},
	{dialect: "agui", framing: wire.SSE, wire: begun + "data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"x\"}\n\n", rule: hub.RulePartStarted, record: 2, offset: begunLen},
	{dialect: "agui", framing: wire.SSE, wire: begun, rule: hub.RuleEnd, record: 2, offset: begunLen},
}

const (
	begun    = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"
	begunLen = int64(len(begun))
)

// TestPlaces finds a violation where it is, whatever the pieces in which the stream comes.
func TestPlaces(t *testing.T) {
	for _, s := range smallStreams {
		for _, size := range []int{len(s.wire), 7, 1} {
			t.Run(fmt.Sprintf("%s by %d", s.rule, size), func(t *testing.T) {
				d, err := adapters.Lookup(s.dialect)
				if err != nil {
					t.Fatal(err)
				}
				var got []conform.Violation
				c := conform.New(conform.Config{Dialect: d, Options: d.Defaults(), Framing: s.framing, Max: s.max, Report: func(v conform.Violation) { got = append(got, v) }})
				for piece := range slices.Chunk([]byte(s.wire), size) {
					if err = c.Feed(piece, false); err != nil {
						break
					}
				}
				if err == nil {
					err = c.Feed(nil, true)
				}
				if err == nil {
					c.Finish(nil)
				}
				if len(got) == 0 || got[0].Rule != s.rule || got[0].Record != s.record || got[0].Path != s.path {
					t.Fatalf("got %+v, want first %s in record %d, %q", got, s.rule, s.record, s.path)
				}
				if got[0].Offset < s.offset {
					t.Errorf("it is said to be at byte %d, want %d or behind", got[0].Offset, s.offset)
				}
			})
		}
	}
}

// A result of a call of an earlier turn breaks a rule only where the request shows that there was no such call.
func TestEarlierCalls(t *testing.T) {
	d, err := adapters.Lookup("agui")
	if err != nil {
		t.Fatal(err)
	}
	const result = begun + "data: {\"type\":\"TOOL_CALL_RESULT\",\"toolCallId\":\"c\",\"messageId\":\"m\",\"content\":\"x\"}\n\n" +
		"data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"
	for _, asked := range []*hub.Request{nil, {}} {
		of := broken{}
		c := conform.New(conform.Config{Dialect: d, Options: d.Defaults(), Report: of.add})
		c.Answer(asked)
		if err := c.Feed([]byte(result), true); err != nil {
			t.Fatal(err)
		}
		c.Finish(nil)
		if got := of[hub.RuleStarted.String()]; got != (asked != nil) {
			t.Errorf("asked %v: broken are %s", asked, of)
		}
	}
}

// Every rule has a name and a sentence, and names are used once.
func TestRules(t *testing.T) {
	names := map[string]bool{}
	for _, r := range hub.Rules() {
		if r.String() == "" || names[r.String()] || !strings.HasSuffix(r.Says(), ".") {
			t.Errorf("rule %d: %q, %q", r, r, r.Says())
		}
		names[r.String()] = true
	}
}

// TestDocs keeps the table of rules in the documents.
func TestDocs(t *testing.T) {
	const page, begin, end = "../../docs/conformance.md", "<!-- rules: made by go test ./adapters/conform -run TestDocs -update -->\n", "<!-- end of rules -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begins := strings.Cut(string(text), begin)
	_, tail, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s has no place for the rules", page)
	}
	adaptertest.Generated(t, page, head+begin+rulesTable()+end+tail)
}

func rulesTable() string {
	var b strings.Builder
	b.WriteString("| rule | what it says | in |\n|---|---|---|\n")
	for _, r := range hub.Rules() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r, r.Says(), whereKept(r))
	}
	return b.String()
}

// whereKept says which dialects have a rule, in the fewest words.
func whereKept(r hub.Rule) string {
	var have, lack []string
	for _, d := range adapters.All() {
		if d.Grammar.Has(r) {
			have = append(have, d.Name)
		} else {
			lack = append(lack, d.Name)
		}
	}
	switch {
	case len(lack) == 0:
		return "all"
	case len(have) < len(lack):
		return strings.Join(have, ", ")
	}
	return "all but " + strings.Join(lack, ", ")
}
