package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/bench"
)

// call is what the load asks of the simulated server, in the query of the request; proxies pass it on.
type call struct {
	events    int
	segmented bool          // flowing: one TCP segment per event
	interval  time.Duration // paced: between two events; 0 is flowing
	base      int64         // paced: what marks count from, microseconds since the Unix epoch
	args      bool          // flowing: fragments of a tool's arguments, not of a text
	recording string        // that stream of a real server instead, by its name in the dialect's testdata; paced: a shape
	silent    int64         // more than 0: nothing comes after the first event, and the end of the connection is noted under it
}

func (c call) query() string {
	q := "?events=" + strconv.Itoa(c.events)
	if c.segmented {
		q += "&segmented=1"
	}
	if c.interval > 0 {
		q += fmt.Sprintf("&interval=%d&base=%d", c.interval.Microseconds(), c.base)
	}
	if c.args {
		q += "&args=1"
	}
	if c.recording != "" {
		q += "&recording=" + c.recording
	}
	if c.silent > 0 {
		q += "&silent=" + strconv.FormatInt(c.silent, 10)
	}
	return q
}

// step is the difference between the marks of two deltas.
func (c call) step() uint32 {
	if c.interval > 0 {
		return uint32(c.interval.Microseconds())
	}
	return 1
}

func parseCall(q url.Values) (c call, err error) {
	number := func(name string) (n int64) {
		if text := q.Get(name); text != "" && err == nil {
			n, err = strconv.ParseInt(text, 10, 64)
		}
		return n
	}
	c.events, c.segmented, c.base = int(number("events")), q.Get("segmented") != "", number("base")
	c.args, c.silent, c.recording = q.Get("args") != "", number("silent"), q.Get("recording")
	c.interval = time.Duration(number("interval")) * time.Microsecond
	if err == nil && (c.events < 1 || c.events > 1e7 || c.interval < 0) {
		err = fmt.Errorf("cannot send %d events", c.events)
	}
	return c, err
}

// simulator is an agent server that speaks every dialect: /NAME answers in dialect NAME.
type simulator struct {
	dialects string // folder with their recordings
	mu       sync.Mutex
	scripts  map[string]*script
	left     departures
}

// script is a stream made ready to send: as HTTP chunks.
type script struct {
	header []byte
	deltas [][]byte // the first with what comes before it; each holds one mark
	tail   []byte   // with the end of the body
	pieces [][]byte // the whole answer in pieces of about 4 KiB
}

func serveUpstream(ln net.Listener, sp spec) error {
	s := &simulator{dialects: sp.Dialects, scripts: map[string]*script{}}
	for {
		conn, err := ln.Accept()
		if err != nil {
			return ignoreClosed(err)
		}
		go s.serve(conn)
	}
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// serve answers the requests of a connection.
func (s *simulator) serve(conn net.Conn) {
	defer conn.Close()
	br := bufio.NewReaderSize(conn, 2<<10)
	for {
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		if err := s.answer(conn, req, body); err != nil || req.Close {
			return
		}
	}
}

func (s *simulator) answer(conn net.Conn, req *http.Request, body []byte) error {
	if req.URL.Path == departuresPath {
		return s.left.answer(conn)
	}
	query, err := url.ParseQuery(callText(req, body))
	var c call
	if err == nil {
		c, err = parseCall(query)
	}
	if err == nil && (c.args || c.events > scripted) {
		return s.compose(conn, dialectOf(req.URL.Path), c)
	}
	var sc *script
	if err == nil {
		sc, err = s.script(dialectOf(req.URL.Path), c)
	}
	if err != nil {
		return refuse(conn, err)
	}
	switch {
	case c.silent > 0:
		return s.left.wait(conn, sc, c.silent)
	case c.interval > 0:
		return sc.pace(conn, c)
	case c.segmented:
		return writeAll(conn, append(append([][]byte{sc.header}, sc.deltas...), sc.tail))
	}
	return writeAll(conn, sc.pieces)
}

func refuse(conn net.Conn, err error) error {
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(err.Error()), err.Error())
	return err
}

// scripted is the longest stream that is kept ready to send; longer ones are written while they are sent.
const scripted = 20_000

// compose sends a stream in pieces of 4 KiB without holding it.
func (s *simulator) compose(conn net.Conn, dialect string, c call) error {
	d, err := adapters.Lookup(dialect)
	if err != nil {
		return refuse(conn, err)
	}
	events := bench.TextEvents(c.events)
	if c.args {
		events = bench.ArgsEvents(c.events)
	}
	w := bench.NewWriter(d)
	piece, text := appendHeader(nil, d), []byte(nil)
	for ev := range events {
		if text = w.Append(text, ev); len(text) < pieceSize {
			continue
		}
		if _, err := conn.Write(appendChunk(piece, text)); err != nil {
			return err
		}
		piece, text = piece[:0], text[:0]
	}
	_, err = conn.Write(append(appendChunk(piece, w.Finish(text)), lastChunk...))
	return err
}

// writeAll makes one system call, and so at least one TCP segment, of each piece: Go sets TCP_NODELAY.
func writeAll(w io.Writer, pieces [][]byte) error {
	for _, p := range pieces {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// pace sends each delta when it is due, by a timetable that begins now. A delta that is late does not delay the others.
func (sc *script) pace(conn net.Conn, c call) error {
	if _, err := conn.Write(sc.header); err != nil {
		return err
	}
	start := time.Now()
	first := uint32(start.UnixMicro() - c.base)
	var buf []byte
	for i := range c.events {
		time.Sleep(time.Until(start.Add(time.Duration(i) * c.interval)))
		buf = append(buf[:0], sc.deltas[i]...)
		bench.SetMarks(buf, first+uint32(i)*c.step())
		if _, err := conn.Write(buf); err != nil {
			return err
		}
	}
	_, err := conn.Write(sc.tail)
	return err
}

// script returns the stream of a call in a dialect.
func (s *simulator) script(dialect string, c call) (*script, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%s/%s/%d/%t", dialect, c.recording, c.events, c.interval > 0)
	if sc := s.scripts[key]; sc != nil {
		return sc, nil
	}
	d, err := adapters.Lookup(dialect)
	if err != nil {
		return nil, err
	}
	text, err := s.text(d, c)
	if err != nil {
		return nil, err
	}
	sc := newScript(text)
	s.scripts[key] = sc
	return sc, nil
}

// text is what a call asks for: deltas with marks, or a recording.
func (s *simulator) text(d *hub.Dialect, c call) (*bench.Script, error) {
	if c.recording == "" {
		return bench.NewScript(d, c.events)
	}
	if shape, ok := strings.CutPrefix(c.recording, bench.ShapePrefix); ok && c.interval > 0 {
		return bench.NewLongScript(d, bench.Part(shape), c.events)
	}
	rec, err := bench.LoadRecording(s.dialects, d, c.recording)
	if err != nil {
		return nil, err
	}
	return &bench.Script{Dialect: d, Deltas: rec.Pieces}, nil
}

const pieceSize = 4 << 10

func newScript(text *bench.Script) *script {
	sc := &script{header: appendHeader(nil, text.Dialect)}
	for i, d := range text.Deltas {
		if i == 0 {
			d = append(append([]byte(nil), text.Head...), d...)
		}
		sc.deltas = append(sc.deltas, appendChunk(nil, d))
	}
	sc.tail = append(appendChunk(nil, text.Tail), lastChunk...)
	piece := append([]byte(nil), sc.header...)
	for rest := text.Bytes(); len(rest) > 0; {
		n := min(len(rest), pieceSize)
		sc.pieces = append(sc.pieces, appendChunk(piece, rest[:n]))
		piece, rest = nil, rest[n:]
	}
	end := &sc.pieces[len(sc.pieces)-1]
	*end = append(*end, lastChunk...)
	return sc
}

func appendHeader(dst []byte, d *hub.Dialect) []byte {
	return append(append(append(dst, "HTTP/1.1 200 OK\r\nContent-Type: "...), d.Framing.ContentType()...), "\r\nTransfer-Encoding: chunked\r\n\r\n"...)
}

const lastChunk = "0\r\n\r\n"

func appendChunk(dst, data []byte) []byte {
	if len(data) == 0 {
		return dst // an empty chunk would end the body
	}
	dst = append(strconv.AppendInt(dst, int64(len(data)), 16), "\r\n"...)
	return append(append(dst, data...), "\r\n"...)
}
