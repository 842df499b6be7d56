package threads

import (
	"encoding/binary"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// What is remembered of a conversation is packed: one piece of memory without a pointer. As messages it would be three times as large, most
// of it members that are empty.

// pack returns messages as bytes.
func pack(ms []hub.Message) []byte {
	w := packer{counts: true}
	w.messages(ms)
	w = packer{buf: make([]byte, 0, w.size)}
	w.messages(ms)
	return w.buf
}

// packer writes what it is given, or only counts how much that is.
type packer struct {
	buf    []byte
	counts bool
	size   int
}

func (w *packer) uint(n uint64) {
	if w.counts {
		w.size += len(binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64), n))
		return
	}
	w.buf = binary.AppendUvarint(w.buf, n)
}

// bytes writes a slice: one more than its length, and 0 for nil.
func (w *packer) bytes(all ...[]byte) {
	for _, p := range all {
		if p == nil {
			w.uint(0)
			continue
		}
		w.uint(uint64(len(p)) + 1)
		if w.size += len(p); !w.counts {
			w.buf = append(w.buf, p...)
		}
	}
}

// flags writes what is so as the bits of a number.
func (w *packer) flags(all ...bool) {
	n := uint64(0)
	for i, set := range all {
		if set {
			n |= 1 << i
		}
	}
	w.uint(n)
}

func (w *packer) meta(m *hub.Meta) { w.bytes([]byte(m.Dialect), m.Raw) }

func (w *packer) messages(ms []hub.Message) {
	for i := range ms {
		m := &ms[i]
		w.uint(uint64(m.Role))
		w.flags(m.Joins, m.Parts != nil)
		w.bytes(m.ID, m.Name)
		w.meta(&m.Meta)
		w.uint(uint64(len(m.Parts)))
		for j := range m.Parts {
			w.part(&m.Parts[j])
		}
	}
}

func (w *packer) part(p *hub.Part) {
	w.uint(uint64(p.Kind))
	w.flags(p.ClientRuns, p.Dynamic, p.File != nil, p.Result != nil, p.Approval != nil)
	w.bytes(p.ID, p.Name, p.Text, p.Value, p.Title, p.Sig)
	w.meta(&p.Meta)
	if f := p.File; f != nil {
		w.bytes(f.Media, f.Name, f.URL, f.FileID, f.Base64)
	}
	if r := p.Result; r != nil {
		w.uint(uint64(r.Status))
		w.bytes(r.ID, r.Text, r.Value, r.Content, r.Err)
	}
	if a := p.Approval; a != nil {
		w.flags(a.Decided, a.Approved)
		w.bytes(a.ID, a.Sig, a.Reason)
	}
}

// unpack returns the messages that bytes are. What they hold points into those.
func unpack(dst []hub.Message, buf []byte) []hub.Message {
	r := unpacker{buf}
	for len(r.buf) > 0 {
		m := hub.Message{Role: hub.Role(r.uint())}
		var parts bool
		r.flags(&m.Joins, &parts)
		r.bytes(&m.ID, &m.Name)
		r.meta(&m.Meta)
		if n := int(r.uint()); parts {
			m.Parts = make([]hub.Part, n)
		}
		for j := range m.Parts {
			r.part(&m.Parts[j])
		}
		dst = append(dst, m)
	}
	return dst
}

// unpacker reads what a packer has written.
type unpacker struct{ buf []byte }

func (r *unpacker) uint() uint64 {
	n, size := binary.Uvarint(r.buf)
	r.buf = r.buf[size:]
	return n
}

func (r *unpacker) bytes(all ...*[]byte) {
	for _, p := range all {
		n := r.uint()
		if n == 0 {
			continue
		}
		*p, r.buf = r.buf[:n-1:n-1], r.buf[n-1:]
	}
}

func (r *unpacker) flags(all ...*bool) {
	n := r.uint()
	for i, set := range all {
		*set = n&(1<<i) != 0
	}
}

func (r *unpacker) meta(m *hub.Meta) {
	var dialect []byte
	r.bytes(&dialect, (*[]byte)(&m.Raw))
	m.Dialect = string(dialect)
}

func (r *unpacker) part(p *hub.Part) {
	p.Kind = hub.PartKind(r.uint())
	var file, result, approval bool
	r.flags(&p.ClientRuns, &p.Dynamic, &file, &result, &approval)
	r.bytes(&p.ID, &p.Name, &p.Text, &p.Value, &p.Title, &p.Sig)
	r.meta(&p.Meta)
	if file {
		p.File = new(hub.FileRef)
		r.bytes(&p.File.Media, &p.File.Name, &p.File.URL, &p.File.FileID, &p.File.Base64)
	}
	if result {
		p.Result = &hub.CallResult{Status: hub.Status(r.uint())}
		r.bytes(&p.Result.ID, &p.Result.Text, &p.Result.Value, &p.Result.Content, &p.Result.Err)
	}
	if approval {
		p.Approval = new(hub.Approval)
		r.flags(&p.Approval.Decided, &p.Approval.Approved)
		r.bytes(&p.Approval.ID, &p.Approval.Sig, &p.Approval.Reason)
	}
}
