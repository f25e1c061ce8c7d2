/** The demo: a cluster in one process and a tour of what it does. */
@NullMarked
package io.dht4j.server.demo;

import org.jspecify.annotations.NullMarked;
