/** Who may talk to a node: certificates from files, tokens from a file, and where plaintext is allowed. */
@NullMarked
package io.dht4j.security;

import org.jspecify.annotations.NullMarked;
