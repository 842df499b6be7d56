package adaptertest

import (
	"bytes"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

var update = flag.Bool("update", false, "rewrite the expected sections of the fixtures")

// fixture is one file of testdata.
type fixture struct {
	dialect *hub.Dialect
	name    string
	path    string
	archive *txtar.Archive

	options  hub.Options
	framing  wire.Framing // Auto: to be recognised
	endGrace time.Duration

	wire    []byte
	hasWire bool
}

// load reads the fixtures of the package under test, in the order of their names.
func load(t testing.TB, d *hub.Dialect) []*fixture {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	all := make([]*fixture, 0, len(paths))
	for _, p := range paths {
		all = append(all, loadFile(t, d, p))
	}
	if len(all) == 0 {
		t.Fatalf("%s has no fixtures: want testdata/*.txtar", d.Name)
	}
	return all
}

func loadFile(t testing.TB, d *hub.Dialect, path string) *fixture {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{dialect: d, path: path, archive: archive, endGrace: d.EndGrace}
	f.name = strings.TrimSuffix(filepath.Base(path), ".txtar")
	if len(bytes.TrimSpace(archive.Comment)) == 0 {
		t.Errorf("%s: say above the first section what the fixture shows and where it comes from", path)
	}
	f.readOptions(t)
	f.readWire(t)
	if !f.hasWire && f.section("events") == nil {
		t.Fatalf("%s: has neither a wire nor events", path)
	}
	return f
}

func (f *fixture) readOptions(t testing.TB) {
	t.Helper()
	raw := map[string]any{}
	for line := range strings.Lines(string(f.section("options"))) {
		key, val, ok := strings.Cut(strings.TrimSpace(line), "=")
		var err error
		switch {
		case key == "framing":
			f.framing, err = wire.ParseFraming(val)
		case key == "settle":
			f.endGrace, err = time.ParseDuration(val)
		case ok:
			raw[key] = val
		case key != "":
			t.Errorf("%s: option %q: want key=value", f.path, key)
		}
		if err != nil {
			t.Errorf("%s: option %s: %v", f.path, key, err)
		}
	}
	options, problems := f.dialect.ParseOptions(raw)
	for _, err := range problems {
		t.Errorf("%s: %v", f.path, err)
	}
	f.options = options
}

func (f *fixture) readWire(t testing.TB) {
	t.Helper()
	if text := f.section("wire.hex"); text != nil {
		data, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
		if err != nil {
			t.Fatalf("%s: wire.hex: %v", f.path, err)
		}
		f.wire, f.hasWire = data, true
	}
	if text := f.section("wire.cut"); text != nil {
		f.wire, f.hasWire = bytes.TrimSuffix(text, []byte("\n")), true
	}
	if text := f.section("wire"); text != nil {
		f.wire, f.hasWire = text, true
	}
}

// section returns the content of a section, nil if there is none of that name.
func (f *fixture) section(name string) []byte {
	for i := range f.archive.Files {
		if f.archive.Files[i].Name == name {
			return append([]byte{}, f.archive.Files[i].Data...)
		}
	}
	return nil
}

// setSection changes a section, adds it in its place, or with nil takes it out.
func (f *fixture) setSection(name string, data []byte) {
	files := f.archive.Files
	for i := range files {
		if files[i].Name != name {
			continue
		}
		if data == nil {
			f.archive.Files = append(files[:i], files[i+1:]...)
		} else {
			files[i].Data = data
		}
		return
	}
	if data == nil {
		return
	}
	at := 0
	for at < len(files) && slices.Index(sectionOrder, files[at].Name) <= slices.Index(sectionOrder, name) {
		at++
	}
	f.archive.Files = slices.Insert(files, at, txtar.File{Name: name, Data: data})
}

// sectionOrder is the order in which new sections are put.
var sectionOrder = []string{"options", "endpoint", "body", "request", "wire", "wire.cut", "wire.hex", "events", "normalized", "again", "losses", "error"}

// save writes the fixture back if that changes it.
func (f *fixture) save(t testing.TB) {
	t.Helper()
	text := txtar.Format(f.archive)
	if old, err := os.ReadFile(f.path); err == nil && bytes.Equal(old, text) {
		return
	}
	if err := os.WriteFile(f.path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// expect compares a section with what came out, or rewrites it under -update.
func (f *fixture) expect(t *testing.T, section, got string) {
	t.Helper()
	if *update {
		var data []byte
		if got != "" || section == "events" {
			data = []byte(got)
		}
		f.setSection(section, data)
		return
	}
	if want := string(f.section(section)); want != got {
		t.Errorf("%s: section %s differs (rewrite with -update, then read the diff)\n%s", f.path, section, diff(want, got))
	}
}

// events reads the decoded events of a fixture that begins with them.
func (f *fixture) events(t testing.TB) []hub.Event {
	t.Helper()
	return parseEvents(t, f.path, f.section("events"))
}

func parseEvents(t testing.TB, where string, text []byte) (all []hub.Event) {
	t.Helper()
	evs, err := Events(text)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	return evs
}

// Events reads events in native notation, one a line. The events share no memory with each other or with the text.
func Events(text []byte) (all []hub.Event, err error) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		line = bytes.Clone(line)
		all, err = native.Dialect.NewDecoder(hub.Options{}).Decode(all, wire.Record{Data: line})
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// Lines writes events in native notation, one a line.
func Lines(evs []hub.Event) string {
	var buf []byte
	for i := range evs {
		buf = append(native.Append(buf, &evs[i]), '\n')
	}
	return string(buf)
}
