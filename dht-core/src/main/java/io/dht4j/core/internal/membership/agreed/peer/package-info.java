/** Requests about membership between nodes, also before they belong to a cluster. */
@NullMarked
package io.dht4j.core.internal.membership.agreed.peer;

import org.jspecify.annotations.NullMarked;
