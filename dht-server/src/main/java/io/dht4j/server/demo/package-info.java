/** The demo: a cluster in one process and a tour of its features. */
@NullMarked
package io.dht4j.server.demo;

import org.jspecify.annotations.NullMarked;
