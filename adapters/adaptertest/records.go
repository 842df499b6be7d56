package adaptertest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func itoa(n int) string { return strconv.Itoa(n) }

// splitAll cuts what an Out holds into records, which share no memory with it.
func splitAll(data []byte, framing wire.Framing) (all []wire.Record, err error) {
	if framing == wire.WebSocket {
		return splitFrames(data)
	}
	split := wire.NewSplitter(framing, 0)
	for {
		rec, n, err := split.Split(data, true)
		if err != nil {
			return all, err
		}
		if rec.Data != nil {
			all = append(all, copyRecord(rec))
		}
		if n == 0 {
			return all, nil
		}
		data = data[n:]
	}
}

// splitFrames reads WebSocket frames as a server sends them (RFC 6455 §5.2). Only text frames are records.
func splitFrames(data []byte) (all []wire.Record, err error) {
	for len(data) > 0 {
		head, size, ok := frameSize(data)
		if !ok || len(data) < head+size {
			return all, fmt.Errorf("a WebSocket frame is cut")
		}
		if data[0] == 0x81 {
			all = append(all, wire.Record{Data: bytes.Clone(data[head : head+size])})
		}
		data = data[head+size:]
	}
	return all, nil
}

func frameSize(data []byte) (head, size int, ok bool) {
	if len(data) < 2 {
		return 0, 0, false
	}
	switch n := int(data[1]); {
	case n < 126:
		return 2, n, true
	case n == 126 && len(data) >= 4:
		return 4, int(binary.BigEndian.Uint16(data[2:])), true
	case n == 127 && len(data) >= 10:
		return 10, int(binary.BigEndian.Uint64(data[2:])), true
	}
	return 0, 0, false
}

// compareRecords says what is wrong with got, "" if nothing: records are the same byte for byte.
func compareRecords(want, got []wire.Record) string {
	for i := range min(len(want), len(got)) {
		w, g := want[i], got[i]
		if string(w.Event) == string(g.Event) && string(w.Data) == string(g.Data) {
			continue
		}
		how := "differs"
		if string(w.Event) == string(g.Event) && sameJSON(w.Data, g.Data) {
			how = "is the same JSON in other bytes"
		}
		return fmt.Sprintf("record %d %s\nwant  %s\ngot   %s\n", i+1, how, showRecord(w), showRecord(g))
	}
	switch {
	case len(want) > len(got):
		return fmt.Sprintf("record %d and what follows is missing\nwant  %s\n", len(got)+1, showRecord(want[len(got)]))
	case len(want) < len(got):
		return fmt.Sprintf("record %d and what follows is too much\ngot   %s\n", len(want)+1, showRecord(got[len(want)]))
	}
	return ""
}

func showRecord(rec wire.Record) string {
	if len(rec.Event) > 0 {
		return "event " + string(rec.Event) + ", data " + string(rec.Data)
	}
	return string(rec.Data)
}

func sameJSON(a, b []byte) bool {
	var d rawjson.Decoder
	return d.Valid(a) == nil && d.Valid(b) == nil && rawjson.Equal(a, b)
}

// testCopy frames each record anew, as a stream does whose dialect stays the same.
func (f *fixture) testCopy(t *testing.T) {
	want := decode(newSource(f), f.wire)
	for _, framing := range f.dialect.Framings {
		if want.errs != "" && framing != wire.SSE {
			continue // what is no JSON may fall apart between bare values
		}
		out := wire.NewOut(framing)
		for _, rec := range want.records {
			out.Record(rec)
		}
		got, err := splitAll(out.Buf, framing)
		if err != nil {
			t.Errorf("copied as %s, the records cannot be split: %v", framing, err)
			continue
		}
		if fault := compareRecords(carried(want.records, framing), got); fault != "" {
			t.Errorf("copied as %s, %s", framing, fault)
		}
	}
}

// carried is what a framing carries of records: only SSE and messages of Amazon's have event names and keep line ends between
// tokens, and where nothing but lines or values are records, an empty one is none.
func carried(records []wire.Record, framing wire.Framing) []wire.Record {
	if framing == wire.SSE || framing == wire.AmazonEventStream {
		return records
	}
	isBare := framing == wire.NDJSON || framing == wire.Concat
	records = slices.DeleteFunc(slices.Clone(records), func(rec wire.Record) bool { return isBare && len(rec.Data) == 0 })
	for i := range records {
		records[i].Event = nil
		if isBare {
			flat := strings.NewReplacer("\n", " ", "\r", " ").Replace(string(records[i].Data))
			records[i].Data = []byte(flat)
		}
	}
	return records
}

// endMark is the one record of several dialects that is no JSON by design.
const endMark = "[DONE]"

// checkRecords checks what an encoder wrote. A record is JSON; or the end mark; or text that the dialect's own decoder
// reads.
func checkRecords(d *hub.Dialect, records []wire.Record) error {
	var json rawjson.Decoder
	var dec hub.Decoder
	for i, rec := range records {
		if string(rec.Data) == endMark || json.Valid(rec.Data) == nil {
			continue
		}
		err := json.Valid(rec.Data)
		if d.NewDecoder != nil && rec.Data[0] != '{' {
			if dec == nil {
				dec = d.NewDecoder(d.Defaults())
			}
			_, err = dec.Decode(nil, rec)
		}
		if err != nil {
			return fmt.Errorf("record %d is not valid: %w\n%s", i+1, err, showRecord(rec))
		}
	}
	return nil
}
