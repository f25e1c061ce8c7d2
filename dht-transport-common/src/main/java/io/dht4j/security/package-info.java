/** Access control of nodes: certificates from files, tokens from a file, and the restriction of plaintext. */
@NullMarked
package io.dht4j.security;

import org.jspecify.annotations.NullMarked;
