package threadids

import (
	"bytes"
	"hash/fnv"
	"slices"
)

// branchMark stands in front of the branch in ids that name one.
const branchMark = "~branch-"

// branchLength is the length of a branch's name.
const branchLength = 10

// Branch names a branch of a conversation by what is unlike that of others.
func Branch(unique []byte) []byte {
	h := fnv.New64a()
	h.Write(unique)
	return appendTag(nil, h.Sum64())
}

// InBranch is the id of a message in a branch.
func InBranch(id, branch []byte) []byte { return slices.Concat(id, []byte(branchMark), branch) }

// BranchOf is the branch that the id of a message names, nil for none.
func BranchOf(id []byte) []byte {
	at := len(id) - branchLength - len(branchMark)
	if at < 0 || !bytes.HasPrefix(id[at:], []byte(branchMark)) {
		return nil
	}
	return id[len(id)-branchLength:]
}
