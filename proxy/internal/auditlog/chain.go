package auditlog

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// chain is the end of a chain: each line has the hash of the one before, and its own.
type chain struct {
	seq  int64
	last string
}

// link makes a line the next of the chain.
func (c *chain) link(line []byte) []byte {
	c.seq++
	line = append(bytes.TrimSuffix(line, []byte("}")), `,"seq":`...)
	line = strconv.AppendInt(line, c.seq, 10)
	line = append(append(append(line, `,"prev":"`...), c.last...), `"}`...)
	c.last = hashOf(line)
	line = append(append(line[:len(line)-1], hashKey...), c.last...)
	return append(line, `"}`...)
}

const hashKey = `,"hash":"`

func hashOf(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// linked is what a line of a chain says of it.
type linked struct {
	Seq  int64  `json:"seq"`
	Prev string `json:"prev"`
	Hash string `json:"hash"`
}

// parse reads a line of a chain. ok is false for one that was changed.
func parse(line []byte) (l linked, ok bool) {
	if json.Unmarshal(line, &l) != nil {
		return l, false
	}
	body, found := bytes.CutSuffix(line, []byte(hashKey+l.Hash+`"}`))
	return l, found && hashOf(append(bytes.Clone(body), '}')) == l.Hash
}

// Verified is what a chain proves.
type Verified struct {
	Lines int    // good ones
	Seq   int64  // of the first line; more than 1 goes on from an earlier file
	Prev  string // the hash in that file's last line
	Last  string // of the last line
}

// longestVerified is how long a line may be that is verified. Earlier versions did not cut the names in a line.
const longestVerified = 64 << 20

// Verify reads a chained file. The error names the first line that was changed, removed or moved.
func Verify(r io.Reader) (v Verified, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestVerified)
	var before linked
	for n := 1; lines.Scan(); n++ {
		l, ok := parse(lines.Bytes())
		switch {
		case !ok:
			return v, fmt.Errorf("line %d was changed, or is no line of a chain", n)
		case n == 1:
			v.Seq, v.Prev = l.Seq, l.Prev
		case l.Prev != before.Hash || l.Seq != before.Seq+1:
			return v, fmt.Errorf("line %d does not follow line %d: it is number %d after number %d; a line was removed, added or moved", n, n-1, l.Seq, before.Seq)
		}
		before, v.Lines, v.Last = l, n, l.Hash
	}
	return v, lines.Err()
}

// Chain links lines, the first as the first of a chain, each with its line break.
func Chain(lines []string) (chained []string) {
	var c chain
	for _, line := range lines {
		chained = append(chained, string(c.link([]byte(line)))+"\n")
	}
	return chained
}
