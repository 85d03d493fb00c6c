//go:build !bootstrap

package likc

// This file links the compiled packages of the models that come with likc into programs that import this package. With the build tag
// bootstrap it does not, so that the packages can be generated even if they do not compile.
import _ "likc/generated/all"
