// Requests prints what the servers' own validators are to judge: every recorded request of every dialect, as Sabir writes it for
// every other dialect. One JSON object a line.
//
//	go run ./conformance/requests > requests.jsonl
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
)

// Request is the body of one request for an agent.
type Request struct {
	Name   string          `json:"name"` // of the fixture
	From   string          `json:"from"`
	To     string          `json:"to"`
	Form   string          `json:"form,omitempty"` // of several that agents of the dialect take
	Body   json.RawMessage `json:"body,omitempty"` // a form is a string
	Losses []string        `json:"losses"`

	// Refused says why the agent cannot be asked at all.
	Refused string `json:"refused,omitempty"`
}

func main() {
	w := bufio.NewWriter(os.Stdout)
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	err := each(".", func(r *Request) error { return out.Encode(r) })
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot make the requests:", err)
		os.Exit(1)
	}
}

// each makes the requests of the fixtures below root.
func each(root string, emit func(*Request) error) error {
	for _, from := range adapters.All() {
		if from.Messages == nil {
			continue
		}
		folder := strings.ReplaceAll(from.Name, "-", "")
		paths, err := filepath.Glob(filepath.Join(root, "adapters", folder, "testdata/requests/*.txtar"))
		if err != nil || len(paths) == 0 {
			return fmt.Errorf("%s has no recorded requests (%w)", from.Name, err)
		}
		for _, path := range paths {
			if err := eachTarget(from, path, emit); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return nil
}

// eachTarget writes one recorded request for every agent. One that says only what is new is not for those that take a whole
// conversation, and one that wants no answer for none. Neither is one in native for the dialect that it was made from: it holds
// unknown parts, as they were.
func eachTarget(from *hub.Dialect, path string, emit func(*Request) error) error {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return err
	}
	for _, to := range adapters.All() {
		own := from.Name == native.Dialect.Name && strings.HasPrefix(filepath.Base(path), "from-"+to.Name+"-")
		if to == from || own || to.RequestWriter() == nil {
			continue
		}
		for _, form := range formsOf(to) {
			if err := eachForm(from, to, form, path, archive, emit); err != nil {
				return err
			}
		}
	}
	return nil
}

// A form is one of those in which agents of a dialect are asked.
type form struct {
	name    string
	options map[string]any // of the upstream
}

// formsOf are the forms of a dialect; most have one.
func formsOf(to *hub.Dialect) (all []form) {
	if to.Name != "a2a" {
		return []form{{}}
	}
	for _, version := range []string{"1.0", "0.3"} {
		for _, binding := range []string{"jsonrpc", "rest"} {
			all = append(all, form{version + " " + binding, map[string]any{"version": version, "binding": binding}})
		}
	}
	return all
}

// eachForm writes one recorded request in one form.
func eachForm(from, to *hub.Dialect, f form, path string, archive *txtar.Archive, emit func(*Request) error) error {
	options, problems := to.ParseOptions(f.options)
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	req := &hub.Request{Unique: []byte("1"), Header: func(string) string { return "" }}
	if err := from.Requests.DecodeRequest(req, body(archive)); err != nil {
		return err
	}
	if req.Prepare || to.Stateless && (req.Partial || req.Keep) {
		return nil
	}
	if len(req.Model) == 0 {
		req.Model = []byte("m-1")
	}
	req.Upstream = options
	r := written(from, to, path, req)
	r.Form = f.name
	return emit(r)
}

// written writes a request for an agent.
func written(from, to *hub.Dialect, path string, req *hub.Request) *Request {
	r := &Request{Name: strings.TrimSuffix(filepath.Base(path), ".txtar"), From: from.Name, To: to.Name}
	var losses hub.Losses
	out, err := to.RequestWriter()(nil, req, &losses)
	if err != nil {
		r.Refused = err.Error()
		return r
	}
	r.Body, r.Losses = out, losses.Names
	if !json.Valid(out) { // a form
		r.Body, _ = json.Marshal(string(out)) // a string always is JSON
	}
	return r
}

// body is a copy of what the client sent.
func body(archive *txtar.Archive) []byte {
	for _, f := range archive.Files {
		if f.Name == "body" {
			return append([]byte(nil), f.Data...)
		}
	}
	return nil
}
