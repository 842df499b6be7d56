// Package acpwire holds the shapes of the Agent Client Protocol that more than one dialect has on its wire: ACP itself, and
// those that carry its updates in envelopes of their own. What a dialect makes of a shape is its own business; here is only
// what the shape says, after the schema of ACP (agentclientprotocol.com/protocol/schema), versions 1 and 2.
//
// What is read aliases the value that it was read from, and is valid as long as that is.
package acpwire
