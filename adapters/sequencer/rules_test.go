package sequencer_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// TestRules has a file for every rule of the sequencer, testdata/rules/*.txtar:
//
//	-- config --   replace, settle=250ms, events=2, bytes=64, age=1s, args=8, result=8; of the request that the stream
//	               answers: past={a call}, tools=NAME,NAME
//	-- in --       decoded events, one a line; "@2s" sets the clock and calls Tick, "end" or "end CODE" is the end of the body
//	-- normalized -- what comes out, with the same marks
//	-- repairs --  the counts that are not zero
//
// go test ./adapters/sequencer -update rewrites normalized and repairs; read the diff. (The flag is that of the harness.)
func TestRules(t *testing.T) {
	paths, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	covered := map[string]bool{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) { testRule(t, path, covered) })
	}
	for _, r := range sequencer.Repairs() {
		if !covered[r.String()] {
			t.Errorf("no rule shows the repair %s", r)
		}
	}
}

func testRule(t *testing.T, path string, covered map[string]bool) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, f := range archive.Files {
		sections[f.Name] = string(f.Data)
	}
	cfg, asked := parseConfig(t, sections["config"])
	one := runScript(t, cfg, asked, sections["in"], false)
	all := runScript(t, cfg, asked, sections["in"], true)
	if one.normalized != all.normalized || one.repairs != all.repairs {
		t.Errorf("pushed one by one:\n%s%s\npushed at once:\n%s%s", one.normalized, one.repairs, all.normalized, all.repairs)
	}
	for line := range strings.Lines(one.repairs) {
		covered[strings.Fields(line)[0]] = true
	}
	if flag.Lookup("update").Value.String() == "true" {
		saveRule(t, path, archive, map[string]string{"normalized": one.normalized, "repairs": one.repairs})
		return
	}
	if one.normalized != sections["normalized"] {
		t.Errorf("%s\ngot:\n%s\nwant:\n%s", archive.Comment, one.normalized, sections["normalized"])
	}
	if one.repairs != sections["repairs"] {
		t.Errorf("repairs: got\n%s\nwant\n%s", one.repairs, sections["repairs"])
	}
}

func saveRule(t *testing.T, path string, archive *txtar.Archive, sections map[string]string) {
	t.Helper()
	for i := range archive.Files {
		if text, ok := sections[archive.Files[i].Name]; ok {
			archive.Files[i].Data = []byte(text)
			delete(sections, archive.Files[i].Name)
		}
	}
	for _, name := range []string{"normalized", "repairs"} {
		if text, ok := sections[name]; ok {
			archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
		}
	}
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

func parseConfig(t *testing.T, text string) (cfg sequencer.Config, asked *hub.Request) {
	t.Helper()
	asked = &hub.Request{}
	for _, word := range strings.Fields(text) {
		key, val, _ := strings.Cut(word, "=")
		n, numErr := strconv.Atoi(val)
		d, durErr := time.ParseDuration(val)
		var err error
		switch key {
		case "replace":
			cfg.Replace = true
		case "settle":
			cfg.EndGrace, err = d, durErr
		case "age":
			cfg.Bounds.Age, err = d, durErr
		case "events":
			cfg.Bounds.Events, err = n, numErr
		case "bytes":
			cfg.Bounds.Bytes, err = n, numErr
		case "args":
			cfg.Bounds.Args, err = n, numErr
		case "result":
			cfg.Bounds.Result, err = n, numErr
		case "past":
			err = addPast(asked, val)
		case "tools":
			asked.Tools.Known = true
			for _, name := range strings.Split(val, ",") {
				asked.Tools.Add([]byte(name))
			}
		default:
			err = fmt.Errorf("unknown")
		}
		if err != nil {
			t.Fatalf("config %s: %v", word, err)
		}
	}
	return cfg, asked
}

func addPast(asked *hub.Request, text string) error {
	var c struct {
		ID, Name, Msg string
		Args          json.RawMessage
		Answered      bool
		Earlier       bool
		ClientRuns    bool `json:"client_runs"`
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	asked.History.Add(hub.PastCall{ID: []byte(c.ID), Name: []byte(c.Name), Msg: []byte(c.Msg), Args: c.Args, ClientRuns: c.ClientRuns})
	if c.Answered {
		asked.History.Answer([]byte(c.ID))
	}
	if c.Earlier {
		asked.History.UserSpoke()
	}
	return nil
}

// outcome is what a script gives.
type outcome struct{ normalized, repairs string }

// script feeds a sequencer and referees what comes out.
type script struct {
	t       *testing.T
	seq     *sequencer.Sequencer
	check   adaptertest.Checker
	now     time.Duration
	waiting []hub.Event
	out     []byte
	ended   bool
}

// runScript pushes the events one by one, or as many at once as the marks allow.
func runScript(t *testing.T, cfg sequencer.Config, asked *hub.Request, in string, atOnce bool) outcome {
	t.Helper()
	s := &script{t: t, seq: sequencer.New(cfg), check: adaptertest.Checker{Replace: cfg.Replace}}
	s.seq.Answer(asked)
	for line := range strings.Lines(in) {
		line = strings.TrimSpace(line)
		mark := strings.HasPrefix(line, "@") || strings.HasPrefix(line, "end")
		if mark || !atOnce {
			s.push()
		}
		if mark {
			s.mark(line)
			continue
		}
		evs, err := adaptertest.Events([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		s.waiting = append(s.waiting, evs...)
	}
	s.push()
	if !s.ended {
		s.mark("end")
	}
	return outcome{string(s.out), countLines(&s.seq.Repairs)}
}

func (s *script) push() {
	if len(s.waiting) > 0 {
		s.take(s.seq.Push(nil, s.waiting, s.now))
		s.waiting = nil
	}
}

// mark handles a line that is no event.
func (s *script) mark(line string) {
	s.t.Helper()
	s.out = append(append(s.out, line...), '\n')
	if at, ok := strings.CutPrefix(line, "@"); ok {
		now, err := time.ParseDuration(at)
		if err != nil {
			s.t.Fatal(err)
		}
		s.now = now
		s.take(s.seq.Tick(nil, now))
		return
	}
	var cause error
	if code, ok := strings.CutPrefix(line, "end "); ok {
		cause = hub.Fail(hub.Code(code), nil)
	}
	s.ended = true
	s.take(s.seq.Flush(nil, cause))
	if err := s.check.End(); err != nil {
		s.t.Error(err)
	}
}

func (s *script) take(normalized []hub.Event) {
	s.t.Helper()
	for i := range normalized {
		if err := s.check.Event(&normalized[i]); err != nil {
			s.t.Errorf("%s: %v", native.Append(nil, &normalized[i]), err)
		}
	}
	s.out = append(s.out, adaptertest.Lines(normalized)...)
}

func countLines(counts *sequencer.RepairCounts) string {
	var b strings.Builder
	for r, n := range counts {
		if n > 0 {
			fmt.Fprintf(&b, "%s %d\n", sequencer.Repair(r), n)
		}
	}
	return b.String()
}
