package main

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Opcodes of WebSocket frames (RFC 6455 §5.2), and the bits beside them.
const (
	opContinuation = 0x0
	opText         = 0x1
	opBinary       = 0x2
	opClose        = 0x8
	opPing         = 0x9
	opPong         = 0xa

	fin  = 0x80
	rsv1 = 0x40
	rsv2 = 0x20
	rsv3 = 0x10
)

// frame is a frame as a server sends it.
func frame(first byte, payload string) string {
	return frameHead(first, uint64(len(payload))) + payload
}

// frameHead announces a payload.
func frameHead(first byte, size uint64) string {
	head := []byte{first}
	switch {
	case size < 126:
		head = append(head, byte(size))
	case size < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 126), uint16(size))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 127), size)
	}
	return string(head)
}

// masked is a frame as a client sends it. The mask is constant: loopback has no intermediaries to protect.
func masked(first byte, payload string) string {
	return maskedHead(first, uint64(len(payload))) + mask(payload)
}

// maskedHead announces a masked payload.
func maskedHead(first byte, size uint64) string {
	head := []byte(frameHead(first, size))
	head[1] |= 0x80
	return string(head) + maskKey
}

const maskKey = "\x11\x22\x33\x44"

func mask(payload string) string {
	b := []byte(payload)
	for i := range b {
		b[i] ^= maskKey[i%4]
	}
	return string(b)
}

// closePayload is a close code and its reason.
func closePayload(code uint16, reason string) string {
	return string(binary.BigEndian.AppendUint16(nil, code)) + reason
}

// acceptKey is what a server answers to the key of a handshake.
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// upgrade answers a handshake as it should be; fields come on top.
func (p *peer) upgrade(fields ...string) {
	p.head("101 Switching Protocols", append([]string{
		"Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: " + acceptKey(p.req.Header.Get("Sec-WebSocket-Key")),
	}, fields...)...)
}

// messages are the records of a body, as a socket carries them.
func messages(framing wire.Framing, body string) (all []string) {
	_ = eachRecord(framing, []byte(body), func(_ int, rec wire.Record) error {
		all = append(all, string(rec.Data))
		return nil
	})
	return all
}

// goodMessages are those of a good stream.
func (p *peer) goodMessages() []string { return messages(dialect(p.dialect).Framing, p.good()) }

// text sends messages.
func (p *peer) text(all ...string) {
	for _, m := range all {
		p.say(frame(fin|opText, m))
	}
}

// bye ends the connection as it should be.
func (p *peer) bye() { p.say(frame(fin|opClose, closePayload(1000, ""))); p.silence() }

// first is the first message of a good stream, for those that go on badly.
func (p *peer) first() { p.text(p.goodMessages()[0]) }

// fragments cuts a message into frames of n bytes.
func fragments(m string, n int) string {
	var b strings.Builder
	op := byte(opText)
	for len(m) > n {
		b.WriteString(frame(op, m[:n]))
		m, op = m[n:], opContinuation
	}
	b.WriteString(frame(fin|op, m))
	return b.String()
}
