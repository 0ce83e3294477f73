require 'json'
require_relative 'shop/money'

module Shop
  VERSION = '1.0'

  # An order of a customer.
  class Order < Base
    include Priced

    attr_reader :items

    def initialize(items)
      @items = items
    end

    def self.open
      new([])
    end

    class << self
      def archived; end
    end

    private def price_of(item) = item.price
  end

  class Money::Euro
    def to_s; end
  end
end

def main
  puts Shop::Order.open
end
