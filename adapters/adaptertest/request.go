package adaptertest

import (
	"bytes"
	"encoding/json" //nolint:depguard // the judge must not be what it judges
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Requests tests how the dialect of the package under test reads and writes requests. Its fixtures are
// testdata/requests/*.txtar: a comment with the origin, body with what a client sent, endpoint, which it was sent to, if that matters, and made
// by -update: request, what is read from it, again, what is written of it where that is another JSON value, and losses.
//
// Every request is written in every other dialect that writes requests, and read again: that must keep its meaning, apart from
// the losses that the writer names. Where agents keep the conversation, that is the meaning of what is new; the whole conversation is
// written as messages of the dialect then, and read again.
func Requests(t *testing.T, d *hub.Dialect) {
	for _, f := range loadRequests(t, d, ".") {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			req := f.readRequest(t)
			f.expect(t, "request", ShowRequest(req))
			body, losses := writeRequest(t, d, req)
			again := ""
			switch {
			case isForm(d):
				again = string(body) + "\n"
			case !sameJSON(body, f.section("body")):
				again = string(indented(body))
			}
			f.expect(t, "again", again)
			f.expect(t, "losses", lines(losses.Names))
			if *update {
				f.save(t)
			}
			f.testTranslations(t)
			f.testChanges(t)
		})
	}
}

// A RequestFixture is a recorded request.
type RequestFixture struct {
	Dialect *hub.Dialect
	Name    string
	Body    []byte
}

// RequestFixtures are those of all dialects, for tests of what translates requests. root is the folder adapters.
func RequestFixtures(t testing.TB, root string) (all []RequestFixture) {
	for _, name := range adapters.Names() {
		d, err := adapters.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if d.Messages == nil {
			continue
		}
		for _, f := range loadRequests(t, d, filepath.Join(root, strings.ReplaceAll(name, "-", ""))) {
			all = append(all, RequestFixture{d, f.name, f.section("body")})
		}
	}
	return all
}

func loadRequests(t testing.TB, d *hub.Dialect, folder string) (all []*fixture) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "testdata/requests/*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s has no requests: want testdata/requests/*.txtar (%v)", d.Name, err)
	}
	for _, p := range paths {
		archive, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		f := &fixture{dialect: d, path: p, archive: archive, name: strings.TrimSuffix(filepath.Base(p), ".txtar")}
		if len(bytes.TrimSpace(archive.Comment)) == 0 {
			t.Errorf("%s: say above the first section what the request shows and where it comes from", p)
		}
		if f.section("body") == nil {
			t.Fatalf("%s: has no body", p)
		}
		all = append(all, f)
	}
	return all
}

// readRequest reads the request of the fixture.
func (f *fixture) readRequest(t testing.TB) *hub.Request {
	t.Helper()
	return readRequestAt(t, f.dialect, string(bytes.TrimSpace(f.section("endpoint"))), f.section("body"))
}

// readRequest reads a request in a copy of its own.
func readRequest(t testing.TB, d *hub.Dialect, body []byte) *hub.Request {
	t.Helper()
	return readRequestAt(t, d, "", body)
}

func readRequestAt(t testing.TB, d *hub.Dialect, endpoint string, body []byte) *hub.Request {
	t.Helper()
	req := &hub.Request{Header: func(string) string { return "" }, Endpoint: endpoint}
	if err := d.Requests.DecodeRequest(req, bytes.Clone(body)); err != nil {
		t.Fatalf("%s: %v\n%s", d.Name, err, body)
	}
	return req
}

// writeRequest writes a request twice, which must be the same: prompt caches live from it.
func writeRequest(t testing.TB, d *hub.Dialect, req *hub.Request) ([]byte, *hub.Losses) {
	t.Helper()
	losses := new(hub.Losses)
	body, err := d.Requests.AppendRequest(nil, req, losses)
	if err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	if err := checkBody(d, body); err != nil {
		t.Fatalf("%s wrote %v", d.Name, err)
	}
	second, _ := d.Requests.AppendRequest(nil, req, new(hub.Losses))
	if !bytes.Equal(body, second) {
		t.Errorf("%s writes two bodies for one request:\n%s\n%s", d.Name, body, second)
	}
	return body, losses
}

// testTranslations writes the request in every other dialect, and reads what was written.
func (f *fixture) testTranslations(t *testing.T) {
	for _, name := range adapters.Names() {
		to, err := adapters.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if to.Messages == nil || to.Name == f.dialect.Name {
			continue
		}
		req := f.readRequest(t)
		if !to.Stateless {
			f.testNews(t, to, req)
			f.testForm(t, to, conversation.Ready(req.Messages))
			continue
		}
		if _, err := to.Requests.AppendRequest(nil, req, new(hub.Losses)); err != nil && takesPrompts(to) && !asksInWords(req) {
			continue // there is nothing to ask
		}
		body, losses := writeRequest(t, to, req)
		want := meaningOf(req) // after writing, which closes the calls that were left behind
		got := readRequest(t, to, body)
		if diff := want.diff(meaningOf(got), losses); diff != "" {
			t.Errorf("%s to %s: %s\n%s\nlosses %v", f.dialect.Name, to.Name, diff, body, losses.Names)
		}
		again, _ := writeRequest(t, to, got)
		if !sameJSON(body, again) {
			t.Errorf("%s to %s: what was written is not stable:\n%s\n%s", f.dialect.Name, to.Name, body, again)
		}
	}
}

// takesPrompts reports whether agents of a dialect that get the whole conversation take nothing but what the user says behind it.
func takesPrompts(to *hub.Dialect) bool {
	results := &hub.Request{Messages: []hub.Message{{Role: hub.RoleResults, Parts: []hub.Part{{Kind: hub.PartCall, ID: []byte("c"), Result: &hub.CallResult{}}}}}}
	_, err := to.Requests.AppendRequest(nil, results, new(hub.Losses))
	return err != nil
}

// asksInWords reports whether the user says something new that is text.
func asksInWords(req *hub.Request) bool {
	return !conversation.Blank(conversation.AppendTexts(nil, conversation.Said(req, new(hub.Losses)), `\n`))
}

// testNews writes the request for agents that keep the conversation, and reads what was written: it must say what is new, and nothing
// else. Agents that take results and answers have something new without a word of the user's.
func (f *fixture) testNews(t *testing.T, to *hub.Dialect, req *hub.Request) {
	if len(req.Thread) == 0 { // else there is no conversation that the agent could have kept
		req.Thread = []byte("thread")
	}
	want := &hub.Request{Messages: conversation.Said(req, new(hub.Losses)), Answers: conversation.Decided(req)}
	said := len(want.Messages) > 0
	if calls := conversation.Returned(req); len(calls) > 0 {
		want.Messages = append(want.Messages, hub.Message{Role: hub.RoleResults, Parts: calls})
	}
	l := new(hub.Losses)
	if body, err := to.Requests.AppendRequest(nil, req, l); err != nil && (!said || meaningOf(want).isLost(l)) {
		return
	} else if !said && len(want.Messages)+len(want.Answers) == 0 {
		t.Errorf("%s to %s: nothing new became %s", f.dialect.Name, to.Name, body)
		return
	}
	body, losses := writeRequest(t, to, req)
	if diff := meaningOf(want).diff(meaningOf(readRequest(t, to, body)), losses); diff != "" {
		t.Errorf("%s to %s: of what is new, %s\n%s\nlosses %v", f.dialect.Name, to.Name, diff, body, losses.Names)
	}
}

// testForm writes the conversation in the form that another dialect has for one, and reads it again.
func (f *fixture) testForm(t *testing.T, to *hub.Dialect, ms []hub.Message) {
	list, losses := writeForm(t, to, ms)
	got, err := to.Messages.DecodeMessages(nil, bytes.Clone(list))
	if err != nil {
		t.Fatalf("%s to %s: %v\n%s", f.dialect.Name, to.Name, err, list)
	}
	want := meaningOf(&hub.Request{Messages: ms})
	if diff := want.diff(meaningOf(&hub.Request{Messages: got}), losses); diff != "" {
		t.Errorf("%s to the messages of %s: %s\n%s\nlosses %v", f.dialect.Name, to.Name, diff, list, losses.Names)
	}
	again, _ := writeForm(t, to, got)
	second, err := to.Messages.DecodeMessages(nil, again)
	if diff := meaningOf(&hub.Request{Messages: got}).diff(meaningOf(&hub.Request{Messages: second}), losses); err != nil || diff != "" {
		t.Errorf("%s to the messages of %s: written again, %v, %s\n%s\n%s", f.dialect.Name, to.Name, err, diff, list, again)
	}
}

func writeForm(t testing.TB, d *hub.Dialect, ms []hub.Message) ([]byte, *hub.Losses) {
	t.Helper()
	losses := new(hub.Losses)
	list := d.Messages.AppendMessages(nil, ms, losses)
	var json rawjson.Decoder
	if err := json.Valid(list); err != nil {
		t.Fatalf("%s wrote no JSON: %v\n%s", d.Name, err, list)
	}
	return list, losses
}

// FuzzRequests feeds arbitrary bodies to a dialect. The laws: nothing panics; what is written of what was read is JSON in
// UTF-8, in this and every other dialect, no larger than the bytes allow, and it can be read again.
func FuzzRequests(f *testing.F, d *hub.Dialect) {
	for _, fix := range loadRequests(f, d, ".") {
		f.Add(fix.section("body"))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, to := range adapters.All() {
			if err := translateAnything(d, to, body); err != nil {
				t.Fatalf("%v\n%s", err, body)
			}
		}
	})
}

// translateAnything translates an arbitrary body, and says which law does not hold.
func translateAnything(from, to *hub.Dialect, body []byte) error {
	req := &hub.Request{Header: func(string) string { return "" }}
	if to.Messages == nil || from.Requests.DecodeRequest(req, body) != nil {
		return nil //nolint:nilerr // what cannot be read, or said in a dialect, is refused
	}
	if !to.Stateless {
		if err := checkForm(to, req.Messages); err != nil {
			return fmt.Errorf("%s to the messages of %s: %w", from.Name, to.Name, err)
		}
	}
	out, err := to.Requests.AppendRequest(nil, req, new(hub.Losses))
	if err != nil {
		return nil //nolint:nilerr // what cannot be said in a dialect is refused
	}
	if err := checkBody(to, out); err != nil {
		return fmt.Errorf("%s to %s: %w", from.Name, to.Name, err)
	}
	if most := 64*len(body) + 4096; len(out) > most {
		return fmt.Errorf("%s to %s: %d bytes became %d", from.Name, to.Name, len(body), len(out))
	}
	if err := to.Requests.DecodeRequest(&hub.Request{Header: req.Header}, out); err != nil {
		return fmt.Errorf("%s to %s: what was written cannot be read: %w\n%s", from.Name, to.Name, err, out)
	}
	return nil
}

// isForm reports whether bodies for agents of a dialect are forms, encoded as a URL.
func isForm(d *hub.Dialect) bool {
	return d.RequestHeader != nil && slices.Contains(d.RequestHeader(d.Defaults()), hub.HeaderField{Name: "Content-Type", Value: "application/x-www-form-urlencoded"})
}

// checkBody checks that a body is JSON in UTF-8, or the form that agents of the dialect take, by the judgement of a library that wrote none
// of it.
func checkBody(to *hub.Dialect, body []byte) error {
	if isForm(to) {
		_, err := url.ParseQuery(string(body))
		return err
	}
	return checkJSON(body)
}

func checkJSON(body []byte) error {
	if !utf8.Valid(body) {
		return fmt.Errorf("no UTF-8: %q", body)
	}
	if !json.Valid(body) {
		return fmt.Errorf("no JSON: %s", body)
	}
	return nil
}

func checkForm(to *hub.Dialect, ms []hub.Message) error {
	list := to.Messages.AppendMessages(nil, ms, new(hub.Losses))
	if err := checkJSON(list); err != nil {
		return err
	}
	if _, err := to.Messages.DecodeMessages(nil, list); err != nil {
		return fmt.Errorf("what was written cannot be read: %w\n%s", err, list)
	}
	return nil
}

// indented is a value with a member a line, so that changes of it can be read.
func indented(body []byte) []byte { return append(appendIndented(nil, body, "\n"), '\n') }

func appendIndented(dst []byte, v rawjson.Value, line string) []byte {
	kind := rawjson.Kind(v)
	if kind != '{' && kind != '[' {
		return rawjson.AppendCompact(dst, v)
	}
	from := len(dst)
	dst = append(dst, kind)
	if kind == '{' {
		for key, member := range rawjson.EachField(v) {
			dst = append(rawjson.AppendQuoted(append(dst, line+"  "...), key), ": "...)
			dst = append(appendIndented(dst, member, line+"  "), ',')
		}
	} else {
		for element := range rawjson.Each(v) {
			dst = append(appendIndented(append(dst, line+"  "...), element, line+"  "), ',')
		}
	}
	if len(dst) == from+1 {
		return append(dst, kind+2) // the bracket that closes stands two behind the one that opens
	}
	return append(append(dst[:len(dst)-1], line...), kind+2)
}

func lines(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}
