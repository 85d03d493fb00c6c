//go:build !bootstrap

package likc

// The compiled packages of the models that come with likc. With the tag bootstrap they are not linked in, so that they can be
// generated anew whatever state they are in.
import _ "likc/generated/all"
