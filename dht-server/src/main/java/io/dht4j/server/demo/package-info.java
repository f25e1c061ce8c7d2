/** The demo: three nodes in one process and a tour of what they do. */
@NullMarked
package io.dht4j.server.demo;

import org.jspecify.annotations.NullMarked;
