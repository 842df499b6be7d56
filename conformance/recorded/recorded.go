// Package recorded reads the recorded streams of all dialects: the files adapters/*/testdata/*.txtar, whose notation is
// that of package adaptertest.
package recorded

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Stream is one file of a dialect's testdata.
type Stream struct {
	Name    string // dialect/file
	Dialect *hub.Dialect
	Options hub.Options
	Given   map[string]string // options as the file says them
	Framing wire.Framing
	Settle  time.Duration
	Wire    []byte // nil: the stream is given by its events
	Events  []byte // in native notation
}

// Load reads the streams of all dialects below the repository root, in the order of the registry and of their names.
func Load(root string) (all []*Stream, err error) {
	for _, d := range adapters.All() {
		paths, err := filepath.Glob(filepath.Join(root, "adapters", strings.ReplaceAll(d.Name, "-", ""), "testdata", "*.txtar"))
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			s, err := loadFile(d, p)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("there are no fixtures below " + root)
	}
	return all, nil
}

func loadFile(d *hub.Dialect, path string) (*Stream, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	s := &Stream{Dialect: d, Options: d.Defaults(), Settle: d.EndGrace, Name: d.Name + "/" + strings.TrimSuffix(filepath.Base(path), ".txtar")}
	for _, file := range archive.Files {
		switch file.Name {
		case "options":
			err = s.readOptions(string(file.Data))
		case "wire":
			s.Wire = file.Data
		case "wire.cut":
			s.Wire = bytes.TrimSuffix(file.Data, []byte("\n"))
		case "wire.hex":
			s.Wire, err = hex.DecodeString(strings.Join(strings.Fields(string(file.Data)), ""))
		case "events":
			s.Events = file.Data
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// readOptions reads the options of the dialect, and the two of the harness.
func (s *Stream) readOptions(text string) (err error) {
	raw := map[string]any{}
	s.Given = map[string]string{}
	for line := range strings.Lines(text) {
		key, val, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "":
		case "framing":
			s.Framing, err = wire.ParseFraming(val)
		case "settle":
			s.Settle, err = time.ParseDuration(val)
		default:
			raw[key], s.Given[key] = val, val
		}
		if err != nil {
			return err
		}
	}
	options, problems := s.Dialect.ParseOptions(raw)
	s.Options = options
	return errors.Join(problems...)
}
