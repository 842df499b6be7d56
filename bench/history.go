package bench

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

//go:embed testdata/history.json
var historyTurn []byte

// History returns a request of the dialect with so many turns. A turn has the shape of recorded ones (see testdata/history.json):
// what the user says, reasoning with its signature, two calls at once with the contents of files as results, a call that edits, and
// the answer.
func History(d *hub.Dialect, turns int) ([]byte, error) {
	from, err := adapters.Lookup("openai-responses")
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	body.WriteString(`{"model":"gpt-5","stream":true,"instructions":"You are an agent that works on the files of a project.\nBe brief.","tools":[`)
	for i, name := range []string{"read", "edit", "run"} {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"type":"function","name":%q,"description":"It does what its name says.","strict":false,"parameters":`+
			`{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"}},"required":["path"]}}`, name)
	}
	body.WriteString(`],"input":[`)
	for i := range turns {
		body.Write(bytes.ReplaceAll(historyTurn, []byte("%N"), []byte(strconv.Itoa(i))))
		body.WriteByte(',')
	}
	body.WriteString(`{"role":"user","content":"Go on."}]}`)
	return Translate(from, d, body.Bytes())
}

// RequestPart is what a measurement of requests has in the place of a [Part].
const RequestPart = "request"

// HistoryOf is [History] with as many turns as come nearest to a size in bytes.
func HistoryOf(d *hub.Dialect, size int) ([]byte, error) {
	one, err := History(d, 1)
	if err != nil {
		return nil, err
	}
	more, err := History(d, 11)
	if err != nil {
		return nil, err
	}
	turn := (len(more) - len(one)) / 10
	return History(d, max(1, (size-len(one)+turn/2)/turn+1))
}

// Translate reads a request and writes it for agents of another dialect, as the proxy does.
func Translate(from, to *hub.Dialect, body []byte) ([]byte, error) {
	req := hub.Request{Header: func(string) string { return "" }, Unique: []byte("7f3a9c21b4")}
	if err := from.Requests.DecodeRequest(&req, body); err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	var losses hub.Losses
	out, err := to.RequestWriter()(nil, &req, &losses)
	req.Detach()
	if err != nil {
		return nil, fmt.Errorf("%s to %s: %w", from.Name, to.Name, err)
	}
	return out, nil
}

// RequestPairs are the pairs of dialects between which requests are translated. Clients of agents that keep sessions send no
// histories.
func RequestPairs() (pairs [][2]*hub.Dialect) {
	for _, from := range adapters.All() {
		if from.Messages == nil || !from.Stateless {
			continue
		}
		for _, to := range adapters.All() {
			if to != from && to.RequestWriter() != nil {
				pairs = append(pairs, [2]*hub.Dialect{from, to})
			}
		}
	}
	return slices.Clip(pairs)
}
