/** The contract of the public HTTP API, and an HTTP client for requests that no other client sends. */
@NullMarked
package io.dht4j.testkit.http;

import org.jspecify.annotations.NullMarked;
